import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// What forms say, in English, Japanese or Korean.
struct Words: Sendable {
    typealias Language = SpokenLanguage

    let language: Language
    private let texts: [String: String]

    init(_ language: Language) {
        self.language = language
        texts = Self.catalogs[language] ?? [:]
    }

    /// - Parameters:
    ///   - accepted: `Accept-Language` of a browser, or nil.
    ///   - environment: looks up a variable of the person's session.
    init(accepted: String?, environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
        let accepted = accepted.map { $0.split(separator: ",").compactMap { Language(tag: $0) }.first ?? .en }
        self.init(accepted ?? Language(ofSession: environment))
    }

    /// - Parameter values: replace `{name}` in the text.
    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        var rest = (texts[key] ?? key)[...]
        var text = ""
        // Looks at each place once, so that what a server has said is not read for further names.
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            text += values[name] ?? "{\(name)}"
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    /// Two sentences, one behind the other. In Japanese no space stands between them.
    func joined(_ first: String, _ second: String) -> String { first + (language == .ja ? "" : " ") + second }

    /// All keys of a language, for the test that they are the same in each.
    static func keys(_ language: Language) -> Set<String> { Set(catalogs[language, default: [:]].keys) }

    private static let catalogs: [Language: [String: String]] = {
        let files: [Language: [UInt8]] = [
            .en: PackageResources.words_en_json, .ja: PackageResources.words_ja_json,
            .ko: PackageResources.words_ko_json,
        ]
        return files.mapValues { (try? JSONDecoder().decode([String: String].self, from: Data($0))) ?? [:] }
    }()
}

extension Words {
    func problem(_ failure: KerberosFailure, realm: String) -> String {
        if failure.kind == .clockSkew, let skew = failure.skew, abs(skew) >= 60 {
            return self(skew > 0 ? "clockBehind" : "clockAhead", ["minutes": "\(abs(skew) / 60)"])
        }
        return self(failure.kind.rawValue, ["realm": realm, "reason": failure.message])
    }

    /// - Returns: nil if the card is ready.
    func problem(_ state: Kerberos.CardState, realm: String) -> String? {
        switch state {
        case .ready: nil
        case .fewAttempts: self("fewPINs")
        case .lastAttempt: self("lastPIN")
        case .locked: self("cardLocked")
        case .missing: self("noCertificate", ["realm": realm])
        }
    }
}
