import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a payload for the built-in Kerberos extension says: its realm, and `ExtensionData` as typed values. A key that is
/// absent or wrong has its default. docs/specifications/extensible-single-sign-on.md, 22.
package struct KerberosSettings: Equatable, Sendable {
    /// How other programs come to use the credential.
    package enum CredentialUseMode: String, CaseIterable, Sendable {
        /// Where the host matches `Hosts` and the program has named no credential.
        case always
        /// Where the host matches `Hosts`.
        case whenNotSpecified
        /// By Kerberos's own rules.
        case kerberosDefault
    }

    /// As it is written in the payload. Empty where it is none; then `findings` say so.
    package private(set) var realm = ""

    /// The name of the user, without the realm; nil to ask for it.
    package internal(set) var principalName: String?
    package internal(set) var isDefaultRealm = false
    /// The credential cache, as MIT Kerberos or GSS names it.
    package internal(set) var cacheName: String?
    package internal(set) var siteCode: String?
    package internal(set) var useSiteAutoDiscovery = true
    package internal(set) var requireTLSForLDAP = false
    /// In the order in which they are tried, before those that are discovered.
    package internal(set) var preferredKDCs: [KerberosServer] = []
    /// For each realm names of hosts, or with a leading dot all names below; in lower case. No name stands twice.
    package internal(set) var domainRealmMapping: [String: [String]] = [:]
    /// `PayloadUUID` of the payload with the certificate and key for PKINIT.
    package internal(set) var certificateUUID: String?
    /// Issuers of certificates on smart cards, with `*` for any text.
    package internal(set) var identityIssuerAutoSelectFilter: String?
    package internal(set) var allowSmartCard = true
    package internal(set) var allowPassword = true
    package internal(set) var startInSmartCardMode = false
    /// What the field for the name is called; nil for the extension's own word.
    package internal(set) var customUsernameLabel: String?
    package internal(set) var helpText: String?
    /// Whether the password may be saved.
    package internal(set) var allowAutomaticLogin = true
    package internal(set) var requireUserPresence = false
    package internal(set) var delayUserSetup = false
    package internal(set) var monitorCredentialsCache = true
    package internal(set) var performKerberosOnly = false
    /// Callers that may use the ticket, compared with capitals; nil for all.
    package internal(set) var credentialBundleIdACL: Set<String>?
    package internal(set) var includeManagedAppsInBundleIdACL = false
    package internal(set) var includeKerberosAppsInBundleIdACL = false
    package internal(set) var credentialUseMode = CredentialUseMode.always
    /// Whether servers that the KDC trusts with it (`ok-as-delegate`) get a ticket with which they act for the person.
    package internal(set) var allowDelegation = false
    package internal(set) var allowPasswordChange = true
    /// A page of the web in place of the extension's own form.
    package internal(set) var pwChangeURL: String?
    /// Days before the password expires.
    package internal(set) var pwNotificationDays = 15
    /// Days that a password lives, where nobody else says it.
    package internal(set) var pwExpireOverride: Int?
    /// Characters.
    package internal(set) var pwReqLength: Int?
    package internal(set) var pwReqComplexity = false
    /// Days.
    package internal(set) var pwReqMinAge: Int?
    /// Passwords.
    package internal(set) var pwReqHistory: Int?
    package internal(set) var pwReqText: String?
    package internal(set) var pwReqRTFData: [UInt8]?
    package internal(set) var syncLocalPassword = false
    /// Seconds.
    package internal(set) var replicationTime = 900
    package internal(set) var usePlatformSSOTGT = false
    package internal(set) var allowPlatformSSOAuthFallback = true

    /// What is wrong or has no effect, in the order of the table of keys.
    package internal(set) var findings: [KerberosFinding] = []

    /// - Parameters:
    ///   - realm: the payload's `Realm`.
    ///   - extensionData: the payload's `ExtensionData`.
    package init(realm: String, extensionData: [String: PropertyListValue]) {
        if DomainName.isRealm(realm) {
            self.realm = realm
        } else {
            report(
                .error, "Realm", "is “\(realm)”, which is no realm of Kerberos.",
                "Write the name of the domain in capitals, such as CORP.ACME.TEST.", isInData: false)
        }
        for key in KerberosKey.all {
            guard let value = extensionData[key.name] else { continue }
            key.read(value, into: &self)
        }
        for name in extensionData.keys.sorted() where KerberosKey.named(name) == nil { reportUnknown(name) }
        checkTogether(extensionData)
    }

    mutating func report(
        _ severity: KerberosFinding.Severity, _ key: String, _ problem: String, _ remedy: String?,
        isInData: Bool = true
    ) {
        findings.append(
            KerberosFinding(severity: severity, key: key, isInData: isInData, problem: problem, remedy: remedy))
    }

    private mutating func reportUnknown(_ name: String) {
        // Apple's own prose has this spelling, so it is the mistake that is made.
        let remedy = name == "credentialBundleIDACL" ? "credentialBundleIdACL" : KerberosKey.nearest(to: name)
        report(
            .warning, name, "is no key of the Kerberos extension.",
            remedy.map { "Did you mean \($0)?" } ?? "Leave it out.")
    }

    /// Keys that are right each, and take the effect from one another.
    private mutating func checkTogether(_ data: [String: PropertyListValue]) {
        if !allowPassword, !allowSmartCard, certificateUUID == nil {
            report(
                .warning, "allowPassword", "is false, and so is allowSmartCard: nobody can sign in.",
                "Allow one of them, or name a certificate with certificateUUID.")
        }
        if startInSmartCardMode, !allowSmartCard {
            report(
                .warning, "startInSmartCardMode", "means nothing without smart cards.",
                "Leave it out, or let allowSmartCard be true.")
        }
        if pwChangeURL != nil, !allowPasswordChange {
            report(
                .warning, "pwChangeURL", "means nothing where passwords may not be changed.",
                "Leave it out, or let allowPasswordChange be true.")
        }
        if pwReqText != nil, pwReqComplexity || pwReqLength != nil {
            report(
                .warning, "pwReqText", "is not shown, because pwReqLength or pwReqComplexity already say the rules.",
                "Leave one of them out.")
        }
        if siteCode != nil, data["useSiteAutoDiscovery"]?.flag == true {
            report(
                .information, "siteCode", "counts before what is discovered.",
                "Leave it out for computers that travel from site to site.")
        }
    }
}

/// Something to be said about a payload for Kerberos.
package struct KerberosFinding: Equatable, Sendable {
    package enum Severity: Sendable { case error, warning, information }

    package let severity: Severity
    /// The key with its place in the value, such as `preferredKDCs[1]`.
    package let key: String
    /// Whether the key stands in `ExtensionData`, or in the payload itself.
    package let isInData: Bool
    /// The rest of a sentence that begins with the key.
    package let problem: String
    /// What to write instead; nil if there is nothing to do.
    package let remedy: String?
}
