import Storage

/// Every step of the schema, oldest first: one numbered, append-only list. The SQL of a step is in the file that begins
/// with its number, such as `Step14TighterSignIn.swift` for step 14.
///
/// Conventions: times are Unix seconds, UTC; booleans are 0 or 1; secrets are stored as SHA-256; columns that are
/// encrypted with the master key are named `sealed_…`. Table names are singular. A foreign key has an index, unless the
/// rows that it refers to are never deleted, as those of people and apps.
package enum Schema {
    package static let migrations: [Migration] = [
        Migration(1, "Organizations, their people and classes", sql: directory),
        Migration(2, "Passwords, browser sessions and one-time links", sql: credentials),
        Migration(3, "Teams, apps and their keys", sql: apps),
        Migration(4, "Consent, codes, grants and notifications", sql: authorization),
        Migration(5, "Imports and what undoes them", sql: imports),
        Migration(6, "The audit trail", sql: audit),
        Migration(7, "Undoing an import restores records that were made by hand as such", sql: undoneSources),
        Migration(8, "Refused sign-ins that belong to no account", sql: unknownSignIns),
        Migration(
            9, "People sign in to apps", first: signInConsents, sqlite: grantsOfPeopleInSQLite,
            postgres: grantsOfPeopleInPostgreSQL, last: signIn),
        Migration(10, "Wrong passwords delay unknown browsers instead of locking accounts", sql: attemptLimits),
        Migration(11, "Mail, hidden addresses and the relay between them", sql: mail),
        Migration(12, "Personal accounts that people make and delete themselves", sql: personalAccounts),
        Migration(13, "Delivered notifications and ended grants are deleted", sql: tidying),
        Migration(14, "Bounds on devices, requests for one person, assertions used once", sql: tighterSignIn),
        Migration(15, "Devices that sign their people in", sql: registeredDevices),
        Migration(16, "Clients may repeat a refresh whose answer was lost", sql: lostAnswers),
        Migration(17, "Repeating a refresh needs the client's idempotency key", sql: idempotencyKeys),
        Migration(18, "Sessions and grants end by a version number, not by the clock", sql: signInVersions),
        Migration(
            19, "Unused refresh tokens expire", first: refreshTokenUse, sqlite: refreshTokenUseInSQLite,
            postgres: refreshTokenUseInPostgreSQL, last: refreshTokenAges),
        Migration(20, "Unused browser sessions expire", sql: sessionUse),
        Migration(21, "Default domain and time zone for an organization's locations", sql: locationDefaults),
        Migration(22, "Imports that give ids to other people need approval", sql: identities),
        Migration(23, "Verified addresses of personal accounts, apps that must use PKCE", sql: proofs),
        Migration(
            24, "Primary key columns of app_transfer come first", sql: transfersKeyFirst,
            postgres: "-- The order of columns does not matter in PostgreSQL."),
        Migration(25, "Colours of organizations, and when apps read last", sql: organizationPages),
        Migration(26, "Known apps sign people in without showing a page", sql: quietSignIns),
        Migration(27, "Identity tokens signed with ES256", sql: signingAlgorithms),
        Migration(
            28, "Apps are notified when a person signs out", first: clientSessions, sqlite: endedSessionsInSQLite,
            postgres: endedSessionsInPostgreSQL, last: ""),
        Migration(29, "Apps request single claims, and the organization by a scope", sql: requestedClaims),
        Migration(30, "Changes that administrators can take back", sql: administration),
        Migration(31, "Former user names, and records that were merged into others", sql: formerRecords),
        Migration(32, "Classes belong to terms, and are archived when imports do not name them", sql: terms),
        Migration(
            33, "The audit trail can be asked", first: auditMentions, sqlite: auditDetailsInSQLite,
            postgres: auditDetailsInPostgreSQL, last: auditPlaces),
        Migration(34, "Rules of what an app is shown of a roster", sql: sharingRules),
        Migration(35, "Records get the ids of another information system", sql: idMaps),
        Migration(36, "People are erased, and what must not be erased is held", sql: endOfLife),
        Migration(37, "Consents have a last day, and are renewed", sql: consentEnds),
        Migration(38, "Several imports are undone one after the other", sql: importMemory),
        Migration(39, "The files of imports are kept", sql: importFiles),
        Migration(40, "Organizations are closed, and erased after a time", sql: closing),
        Migration(41, "Developers look after their teams and apps themselves", sql: developers),
        Migration(42, "Deliveries of notifications are remembered", sql: notificationLog),
        Migration(
            43, "A search finds people by an index", first: unindexedPeople, sqlite: personSearchInSQLite,
            postgres: personSearchInPostgreSQL, last: ""),
        Migration(44, "Passkeys, one-time codes and recovery codes", sql: strongAccounts),
        Migration(45, "Organizations say who has to have a second factor", sql: factorRules),
        Migration(46, "The files of a folder are imported once a day", sql: pickUps),
        Migration(
            47, "Administrators are told what is wrong, and see what happens each day", first: attention,
            sqlite: newAddressesInSQLite, postgres: newAddressesInPostgreSQL, last: ""),
        Migration(48, "Pictures of organizations and apps, and names of apps in several languages", sql: pictures),
        Migration(49, "How long people stay signed in, their language, and an organization's terms", sql: houseRules),
        Migration(50, "Sandboxes of teams of app developers", sql: sandboxes),
        Migration(51, "Roles have a first and a last day", sql: rolePeriods),
        Migration(52, "Tickets of Kerberos sign people in", sql: kerberosTickets),
        Migration(53, "Apps have domains", sql: appDomains),
        Migration(
            54, "A search finds classes and locations by indexes", first: unindexedClassesAndLocations,
            sqlite: recordSearchesInSQLite, postgres: recordSearchesInPostgreSQL, last: ""),
        Migration(55, "What apps see through rules is not counted for each page", sql: sharingCounts),
        Migration(56, "What takes long to count is not counted for each page", sql: keptNumbers),
        Migration(57, "Small parts of an import's files are found without reading the large ones", sql: importParts),
        Migration(58, "Organizations change what roles may do", sql: rolePrivileges),
        Migration(59, "Classes of a term or a location are counted by an index alone", sql: classCounts),
        Migration(60, "Holders of each role at a location are counted without its pupils", sql: locationStaff),
        Migration(61, "Holders of each role at a location are counted by an index alone", sql: locationRoles),
    ]
}
