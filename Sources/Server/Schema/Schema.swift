import Storage

/// Every step that the database has gone through, oldest first: one numbered, append-only list. The SQL of
/// step 14 is in `Step14TighterSignIn.swift`, and so on.
///
/// Conventions: times are Unix seconds, UTC; truths are 0 or 1; secrets are stored as SHA-256; what the
/// master key seals is named `sealed_…`. Tables are singular. A foreign key has an index unless what it refers to is
/// never deleted, as people and apps are not.
package enum Schema {
    package static let migrations: [Migration] = [
        Migration(1, "Organizations, their people and classes", sql: directory),
        Migration(2, "Passwords, browser sessions and one-time links", sql: credentials),
        Migration(3, "Teams, apps and their keys", sql: apps),
        Migration(4, "Consent, codes, grants and notifications", sql: authorization),
        Migration(5, "Imports and what undoes them", sql: imports),
        Migration(6, "The audit trail", sql: audit),
        Migration(7, "Undo gives records made by hand back to the hand", sql: undoneSources),
        Migration(8, "Refused sign-ins that belong to no account", sql: unknownSignIns),
        Migration(
            9, "People sign in to apps", first: signInConsents, sqlite: grantsOfPeopleInSQLite,
            postgres: grantsOfPeopleInPostgreSQL, last: signIn),
        Migration(10, "Wrong passwords make strangers wait, and lock nobody out for long", sql: attemptLimits),
        Migration(11, "Mail, hidden addresses and the relay between them", sql: mail),
        Migration(12, "Personal accounts that people make and delete themselves", sql: personalAccounts),
        Migration(13, "What was delivered or is over goes", sql: tidying),
        Migration(14, "Bounds on devices, requests for one person, assertions used once", sql: tighterSignIn),
        Migration(15, "Devices that sign their people in", sql: registeredDevices),
        Migration(16, "An exchange of a refresh token whose answer was lost is made again", sql: lostAnswers),
        Migration(17, "It is made again for those who have its key", sql: idempotencyKeys),
        Migration(18, "What was signed in before a change ends by a number, not by the clock", sql: signInVersions),
        Migration(
            19, "Refresh tokens end that nobody uses", first: refreshTokenUse, sqlite: refreshTokenUseInSQLite,
            postgres: refreshTokenUseInPostgreSQL, last: refreshTokenAges),
        Migration(20, "Browser sessions end that nobody uses", sql: sessionUse),
        Migration(21, "Locations without domain and time zone have those of their organization", sql: locationDefaults),
        Migration(22, "Imports that give ids to other people wait", sql: identities),
        Migration(23, "Which addresses answered a code, which apps prove their codes", sql: proofs),
        Migration(
            24, "Transfers of apps have the columns of their key first", sql: transfersKeyFirst,
            postgres: "-- The order of columns is of no account there."),
        Migration(25, "Colours of organizations, and when apps read last", sql: organizationPages),
        Migration(26, "Apps that know a person get them without a page", sql: quietSignIns),
        Migration(27, "Identity tokens signed with ES256", sql: signingAlgorithms),
        Migration(
            28, "Apps hear that somebody has signed out", first: clientSessions, sqlite: endedSessionsInSQLite,
            postgres: endedSessionsInPostgreSQL, last: ""),
        Migration(29, "Apps ask for single claims, and for the organization by a scope", sql: requestedClaims),
    ]
}
