import Foundation
import SingleSignOn
import SingleSignOnWire

/// A valid profile, of which each test changes one value.
enum TestProfile {
    static let redirect: [String: PropertyListValue] = [
        "PayloadType": .string(SingleSignOnPayload.type), "PayloadVersion": .integer(1),
        "PayloadIdentifier": .string("test.acme.sso.redirect"),
        "PayloadUUID": .string("4B1C6C3E-6B0E-4E0B-9C55-3A0B5D7F0A02"),
        "ExtensionIdentifier": .string("test.acme.signin.extension"), "TeamIdentifier": .string("ACME123456"),
        "Type": .string("Redirect"), "URLs": .strings("https://id.acme.test/realms/staff/", "https://saml.acme.test"),
        "ExtensionData": .dictionary(["username": .string("mika"), "tries": .integer(3), "quiet": .boolean(true)]),
        "DeniedBundleIdentifiers": .strings("test.acme.kiosk"), "ScreenLockedBehavior": .string("DoNotHandle"),
    ]

    static let kerberos: [String: PropertyListValue] = [
        "PayloadType": .string(SingleSignOnPayload.type), "PayloadVersion": .integer(1),
        "PayloadIdentifier": .string("test.acme.sso.kerberos"),
        "PayloadUUID": .string("4B1C6C3E-6B0E-4E0B-9C55-3A0B5D7F0A03"),
        "ExtensionIdentifier": .string("com.apple.AppSSOKerberos.KerberosExtension"),
        "TeamIdentifier": .string("apple"), "Type": .string("Credential"), "Realm": .string("CORP.ACME.TEST"),
        "Hosts": .strings(".corp.acme.test", "intranet.acme.test"),
        "ExtensionData": .dictionary(["principalName": .string("mika")]),
    ]

    static let domains: [String: PropertyListValue] = [
        "PayloadType": .string(ManagedDomains.payloadType), "PayloadVersion": .integer(1),
        "PayloadIdentifier": .string("test.acme.sso.domains"),
        "PayloadUUID": .string("4B1C6C3E-6B0E-4E0B-9C55-3A0B5D7F0A04"),
        "Configuration": .array([
            .dictionary([
                "ApplicationIdentifier": .string("ACME123456.test.acme.signin"),
                "AssociatedDomains": .strings("authsrv:id.acme.test", "authsrv:saml.acme.test?mode=managed"),
                "EnableDirectDownloads": .boolean(true),
            ])
        ]),
    ]

    static func profile(
        _ payloads: [[String: PropertyListValue]] = [redirect, kerberos, domains],
        changing change: [String: PropertyListValue?] = [:]
    ) -> PropertyListValue {
        let whole: [String: PropertyListValue] = [
            "PayloadType": .string("Configuration"), "PayloadVersion": .integer(1),
            "PayloadIdentifier": .string("test.acme.sso"),
            "PayloadUUID": .string("4B1C6C3E-6B0E-4E0B-9C55-3A0B5D7F0A01"),
            "PayloadDisplayName": .string("Acme single sign-on"),
            "PayloadContent": .array(payloads.map(PropertyListValue.dictionary)),
        ]
        return .dictionary(whole.changing(change))
    }
}

extension [String: PropertyListValue] {
    /// A copy with some values replaced, or removed where `change` has nil.
    func changing(_ change: [String: PropertyListValue?]) -> Self {
        var changed = self
        for (key, value) in change { changed[key] = value }
        return changed
    }
}

extension PropertyListValue {
    static func strings(_ texts: String...) -> Self { .array(texts.map(PropertyListValue.string)) }
}
