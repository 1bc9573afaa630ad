import Storage

/// Every step that the database has gone through, oldest first: one numbered, append-only list.
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
        Migration(18, "Colours of organizations, and when apps read last", sql: organizationPages),
    ]
}
