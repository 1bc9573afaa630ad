import SingleSignOnWire

/// What a payload for the built-in Kerberos extension must say. docs/specifications/extensible-single-sign-on.md, 6.
enum KerberosKeys {
    static let extensionIdentifier = "com.apple.AppSSOKerberos.KerberosExtension"
    static let teamIdentifier = "apple"

    static func check(
        _ keys: inout Keys, identifier: String?, team: String?, type: String?, realm: String?,
        data: [String: PropertyListValue]
    ) {
        guard identifier == extensionIdentifier else { return }
        keys.report(
            .warning, "ExtensionIdentifier", "names Apple's Kerberos extension, which Lanyard does not bring.",
            "Nobody is asked for these hosts until an extension with this identifier is on the device.")
        if type == "Redirect" {
            keys.report(.error, "Type", "is Redirect.", "The Kerberos extension is a Credential one.")
        }
        if team != teamIdentifier { keys.report(.error, "TeamIdentifier", "is not “apple”.", "Write apple.") }
        if realm == nil, keys.entries["Realm"] == nil {
            keys.report(.error, "Realm", "is missing.", "The Kerberos extension needs one, such as CORP.ACME.TEST.")
        }
        for key in data.keys.sorted() where !known.contains(key) {
            keys.report(
                .warning, "ExtensionData.\(key)", "is no key of the Kerberos extension.",
                key.closest(in: known).map { "Did you mean \($0)?" } ?? "Leave it out.")
        }
        for key in deprecated.sorted() where data[key] != nil {
            keys.report(.warning, "ExtensionData.\(key)", "is out of date.", "Leave it out.")
        }
    }

    private static let deprecated: Set = ["cacheName", "pwExpireOverride", "replicationTime"]
    private static let known: Set = [
        "principalName", "isDefaultRealm", "cacheName", "siteCode", "useSiteAutoDiscovery", "requireTLSForLDAP",
        "preferredKDCs", "domainRealmMapping", "certificateUUID", "identityIssuerAutoSelectFilter", "allowSmartCard",
        "allowPassword", "startInSmartCardMode", "customUsernameLabel", "helpText", "allowAutomaticLogin",
        "requireUserPresence", "delayUserSetup", "monitorCredentialsCache", "performKerberosOnly",
        "credentialBundleIdACL", "includeManagedAppsInBundleIdACL", "includeKerberosAppsInBundleIdACL",
        "credentialUseMode", "allowPasswordChange", "pwChangeURL", "pwNotificationDays", "pwExpireOverride",
        "pwReqLength", "pwReqComplexity", "pwReqMinAge", "pwReqHistory", "pwReqText", "pwReqRTFData",
        "syncLocalPassword", "replicationTime", "usePlatformSSOTGT", "allowPlatformSSOAuthFallback",
    ]
}
