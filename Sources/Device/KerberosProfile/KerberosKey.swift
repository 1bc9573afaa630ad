import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A key of `ExtensionData`: its name, its type, and how its value is read.
/// docs/specifications/extensible-single-sign-on.md, 22.
package struct KerberosKey: Sendable {
    package let name: String
    /// The format's name for the type: `string`, `boolean`, `integer`, `data`, `array` or `dictionary`.
    package let type: String
    private(set) var isDeprecated = false
    /// Why the key does nothing on Linux, as the rest of a sentence that begins with it; nil if it does something.
    private(set) var absence: String?
    /// Stores a value of the right type.
    /// - Returns: false if the value has another type.
    private let store: @Sendable (PropertyListValue, inout KerberosSettings, _ name: String) -> Bool
    /// What the settings have, as a profile would say it; nil for nothing.
    private let load: @Sendable (KerberosSettings) -> PropertyListValue?
    /// Whether a value asks for what happens anyway.
    private var isIdle: @Sendable (PropertyListValue) -> Bool = { _ in false }

    /// What counts: the profile's value, or the default where it has none or a wrong one.
    /// - Returns: nil if there is neither.
    package func value(in settings: KerberosSettings) -> PropertyListValue? { load(settings) }

    func read(_ value: PropertyListValue, into settings: inout KerberosSettings) {
        let count = settings.findings.count
        guard store(value, &settings, name) else {
            return settings.report(
                .error, name, "is \(Self.withArticle(value.typeName)).", "Write \(Self.withArticle(type)).")
        }
        if isDeprecated { settings.report(.warning, name, "is out of date.", "Leave it out.") }
        // What is wrong already needs no explanation of what it would do.
        let isRight = !settings.findings[count...].contains { $0.severity == .error }
        if let absence, isRight, !isIdle(value) { settings.report(.information, name, absence, nil) }
    }

    private static func withArticle(_ type: String) -> String {
        ("aeiou".contains(type.prefix(1)) ? "an " : "a ") + type
    }

    package static func named(_ name: String) -> KerberosKey? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The name that is nearly the same, for “did you mean”; nil if there is none.
    static func nearest(to name: String) -> String? {
        let lower = Array(name.lowercased().utf8)
        return all.map(\.name).filter { abs($0.utf8.count - lower.count) <= 2 }
            .map { ($0, lower.editDistance(to: Array($0.lowercased().utf8))) }
            .filter { $0.1 <= 2 }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }
}

// MARK: The table

extension KerberosKey {
    /// Every key that is documented, and one of Lanyard's own.
    package static let all: [KerberosKey] =
        whoAndWhere + signingIn + credentials + passwords + [
            flag("usePlatformSSOTGT", \.usePlatformSSOTGT)
                .absent("does nothing: there is no Platform SSO here, and the extension gets the ticket by itself."),
            flag("allowPlatformSSOAuthFallback", \.allowPlatformSSOAuthFallback, default: true)
                .absent("does nothing: there is no Platform SSO here to fall back from."),
        ]

    private static let whoAndWhere: [KerberosKey] = [
        string("principalName", \.principalName, check: checkPrincipal),
        flag("isDefaultRealm", \.isDefaultRealm),
        string("cacheName", \.cacheName, check: checkOneLine).deprecated,
        string("siteCode", \.siteCode) { text, _ in
            DomainName.isSite(text)
                ? .right(text)
                : .wrong("is “\(text)”, which is no site.", "Write the site's name, of letters, digits, - and _.")
        },
        flag("useSiteAutoDiscovery", \.useSiteAutoDiscovery, default: true),
        flag("requireTLSForLDAP", \.requireTLSForLDAP),
        KerberosKey(name: "preferredKDCs", type: "array", store: storePreferred) {
            $0.preferredKDCs.isEmpty ? nil : .array($0.preferredKDCs.map { .string($0.description) })
        },
        KerberosKey(name: "domainRealmMapping", type: "dictionary", store: storeMapping) {
            $0.domainRealmMapping.isEmpty
                ? nil : .dictionary($0.domainRealmMapping.mapValues { .array($0.map(PropertyListValue.string)) })
        },
    ]

    private static let signingIn: [KerberosKey] = [
        string("certificateUUID", \.certificateUUID, check: checkOneLine),
        string("identityIssuerAutoSelectFilter", \.identityIssuerAutoSelectFilter, check: checkOneLine),
        flag("allowSmartCard", \.allowSmartCard, default: true),
        flag("allowPassword", \.allowPassword, default: true),
        flag("startInSmartCardMode", \.startInSmartCardMode),
        string("customUsernameLabel", \.customUsernameLabel),
        string("helpText", \.helpText),
        flag("allowAutomaticLogin", \.allowAutomaticLogin, default: true),
        flag("requireUserPresence", \.requireUserPresence)
            .absent("lets no password be saved: nothing here asks who is there before a saved one is used."),
        flag("delayUserSetup", \.delayUserSetup),
    ]

    private static let credentials: [KerberosKey] = [
        flag("monitorCredentialsCache", \.monitorCredentialsCache, default: true),
        flag("performKerberosOnly", \.performKerberosOnly),
        KerberosKey(name: "credentialBundleIdACL", type: "array") { value, settings, name in
            guard let values = value.elements else { return false }
            settings.credentialBundleIdACL = Set(strings(values, name, &settings).map(\.text))
            return true
        } load: {
            $0.credentialBundleIdACL.map { .array($0.sorted().map(PropertyListValue.string)) }
        },
        flag("includeManagedAppsInBundleIdACL", \.includeManagedAppsInBundleIdACL),
        flag("includeKerberosAppsInBundleIdACL", \.includeKerberosAppsInBundleIdACL),
        KerberosKey(name: "credentialUseMode", type: "string", store: storeUseMode) {
            .string($0.credentialUseMode.rawValue)
        },
        // Apple has none for this.
        flag("allowDelegation", \.allowDelegation),
    ]

    private static let passwords: [KerberosKey] = [
        flag("allowPasswordChange", \.allowPasswordChange, default: true),
        string("pwChangeURL", \.pwChangeURL) { text, _ in
            WebOrigin(of: text) != nil
                ? .right(text)
                : .wrong("is “\(text)”, which is no page of the web.", "Write a URL that begins with https://.")
        },
        number("pwNotificationDays", \.pwNotificationDays),
        number("pwExpireOverride", \.pwExpireOverride).deprecated,
        number("pwReqLength", \.pwReqLength),
        flag("pwReqComplexity", \.pwReqComplexity),
        number("pwReqMinAge", \.pwReqMinAge),
        number("pwReqHistory", \.pwReqHistory),
        string("pwReqText", \.pwReqText),
        KerberosKey(name: "pwReqRTFData", type: "data") { value, settings, _ in
            guard case .data(let data) = value else { return false }
            settings.pwReqRTFData = [UInt8](data)
            return true
        } load: {
            $0.pwReqRTFData.map { .data(Data($0)) }
        }.absent("is not shown: nothing here draws RTF. Say the rules in pwReqText too."),
        flag("syncLocalPassword", \.syncLocalPassword),
        number("replicationTime", \.replicationTime).deprecated,
    ]

    private var deprecated: KerberosKey {
        var key = self
        key.isDeprecated = true
        return key
    }

    private func absent(_ reason: String) -> KerberosKey {
        var key = self
        key.absence = reason
        return key
    }
}

// MARK: Types of values

extension KerberosKey {
    private enum Reading {
        case right(String)
        /// What is wrong, and what to do.
        case wrong(String, String)
    }

    private static func flag(
        _ name: String, _ path: any WritableKeyPath<KerberosSettings, Bool> & Sendable, default standard: Bool = false
    ) -> KerberosKey {
        var key = KerberosKey(name: name, type: "boolean") { value, settings, _ in
            guard let flag = value.flag else { return false }
            settings[keyPath: path] = flag
            return true
        } load: {
            .boolean($0[keyPath: path])
        }
        key.isIdle = { $0.flag == standard }
        return key
    }

    private static func string(
        _ name: String, _ path: any WritableKeyPath<KerberosSettings, String?> & Sendable,
        check: @escaping @Sendable (String, KerberosSettings) -> Reading = { text, _ in .right(text) }
    ) -> KerberosKey {
        KerberosKey(name: name, type: "string") { value, settings, name in
            guard let text = value.text else { return false }
            guard !text.isEmpty else {
                settings.report(.warning, name, "is empty.", "Leave it out.")
                return true
            }
            switch check(text, settings) {
            case .right(let text): settings[keyPath: path] = text
            case .wrong(let problem, let remedy): settings.report(.error, name, problem, remedy)
            }
            return true
        } load: {
            $0[keyPath: path].map(PropertyListValue.string)
        }
    }

    private static func number(
        _ name: String, _ path: any WritableKeyPath<KerberosSettings, Int> & Sendable
    ) -> KerberosKey {
        number(name, { $0[keyPath: path] = $1 }, { $0[keyPath: path] })
    }

    private static func number(
        _ name: String, _ path: any WritableKeyPath<KerberosSettings, Int?> & Sendable
    ) -> KerberosKey {
        number(name, { $0[keyPath: path] = $1 }, { $0[keyPath: path] })
    }

    private static func number(
        _ name: String, _ set: @escaping @Sendable (inout KerberosSettings, Int) -> Void,
        _ get: @escaping @Sendable (KerberosSettings) -> Int?
    ) -> KerberosKey {
        KerberosKey(name: name, type: "integer") { value, settings, name in
            guard let number = value.number else { return false }
            if let number = bounded(number) {
                set(&settings, number)
            } else {
                settings.report(.error, name, "is \(number).", "Write a number from 0 to 2147483647.")
            }
            return true
        } load: {
            get($0).map { .integer(Int64($0)) }
        }
    }

    /// A number of days, seconds or characters that no reckoning with it can overflow.
    private static func bounded(_ number: Int64) -> Int? { (0...0x7fff_ffff).contains(number) ? Int(number) : nil }

    private static func strings(
        _ values: [PropertyListValue], _ name: String, _ settings: inout KerberosSettings
    ) -> [(place: String, text: String)] {
        var texts: [(place: String, text: String)] = []
        for (index, value) in values.enumerated() {
            let place = "\(name)[\(index)]"
            if let text = value.text {
                texts.append((place, text))
            } else {
                settings.report(.error, place, "is \(withArticle(value.typeName)).", "Write a string.")
            }
        }
        return texts
    }

    private static func checkOneLine(_ text: String, _ settings: KerberosSettings) -> Reading {
        text.inOneLine() == text
            ? .right(text)
            : .wrong("is “\(text.printable())”, which is not one line of text.", "Write it without control characters.")
    }

    private static func checkPrincipal(_ text: String, _ settings: KerberosSettings) -> Reading {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard !parts[0].isEmpty, parts.count <= 2,
            !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 || $0 == "\\" }),
            text.inOneLine() == text
        else {
            return .wrong(
                "is “\(text.printable())”, which is no name of a user.", "Write the user name alone, such as mika.")
        }
        guard parts.count == 1 || parts[1].lowercased() == settings.realm.lowercased() else {
            return .wrong(
                "is “\(text)”, a name of another realm than “\(settings.realm)”.",
                "Write the user name alone, without @ and realm.")
        }
        return .right(String(parts[0]))
    }

    private static func storeUseMode(
        _ value: PropertyListValue, _ settings: inout KerberosSettings, _ name: String
    ) -> Bool {
        guard let text = value.text else { return false }
        if let mode = KerberosSettings.CredentialUseMode(rawValue: text) {
            settings.credentialUseMode = mode
        } else {
            let known = KerberosSettings.CredentialUseMode.allCases.map(\.rawValue)
            let same = known.first { $0.lowercased() == text.lowercased() }
            settings.report(
                .error, name, "is “\(text)”.", "Write \(same ?? known.joined(separator: ", or ")).")
        }
        return true
    }

    private static func storePreferred(
        _ value: PropertyListValue, _ settings: inout KerberosSettings, _ name: String
    ) -> Bool {
        guard let values = value.elements else { return false }
        for (place, text) in strings(values, name, &settings) {
            do throws(KerberosServer.Problem) {
                let server = try KerberosServer(text)
                if settings.preferredKDCs.contains(server) {
                    settings.report(.warning, place, "is “\(text)”, which is there already.", "Leave it out.")
                } else {
                    settings.preferredKDCs.append(server)
                }
            } catch {
                settings.report(.error, place, "is “\(text.printable())”, \(error.reason).", error.remedy)
            }
        }
        return true
    }

    private static func storeMapping(
        _ value: PropertyListValue, _ settings: inout KerberosSettings, _ name: String
    ) -> Bool {
        guard let entries = value.entries else { return false }
        var owners: [String: String] = [:]
        for (realm, value) in entries.sorted(by: { $0.key < $1.key }) {
            let place = "\(name).\(realm.printable())"
            guard DomainName.isRealm(realm) else {
                settings.report(
                    .error, place, "is no realm of Kerberos.", "Write each realm as a key, such as CORP.ACME.TEST.")
                continue
            }
            guard let values = value.elements else {
                // The file of MIT Kerberos is the other way round, so this is the mistake that is made.
                settings.report(
                    .error, place, "is \(withArticle(value.typeName)).",
                    "Write the realm as the key, and an array of its domains as the value.")
                continue
            }
            for (place, text) in strings(values, place, &settings) {
                guard let domain = canonicalDomain(text) else {
                    settings.report(
                        .error, place, "is “\(text.printable())”, which is no domain.",
                        "Write a host name such as intranet.acme.test, or .acme.test for all below it.")
                    continue
                }
                if let owner = owners.updateValue(realm, forKey: domain) {
                    owners[domain] = owner
                    settings.report(
                        .error, place, "is “\(text)”, which \(owner) has already.", "Give each domain one realm.")
                } else {
                    settings.domainRealmMapping[realm, default: []].append(domain)
                }
            }
        }
        return true
    }

    private static func canonicalDomain(_ text: String) -> String? {
        guard text.hasPrefix(".") else { return DomainName.canonical(text) }
        return DomainName.canonical(String(text.dropFirst())).map { ".\($0)" }
    }
}

extension KerberosServer.Problem {
    fileprivate var reason: String {
        switch self {
        case .unknownProtocol(let word): "with the protocol “\(word.printable())”"
        case .noHost: "which names no host"
        case .malformedHost: "which has no host name"
        case .malformedPort: "which has no port from 1 to 65535 behind its colon"
        case .pathWithoutProxy: "which has a path and is no proxy"
        case .malformedPath: "which has a path that a URL cannot have"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .unknownProtocol: "Write tcp/, udp/ or kkdcp://, or the host alone."
        case .noHost, .malformedHost: "Write a host such as adserver1.acme.test, or tcp/adserver1.acme.test:88."
        case .malformedPort: "Write a port such as 88, or leave it out together with its colon."
        case .pathWithoutProxy: "Leave out the path, or write kkdcp:// in front if it is a proxy."
        case .malformedPath: "Write a path such as /KdcProxy."
        }
    }
}
