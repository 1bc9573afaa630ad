extension Language {
    /// The language of a page: the person's own choice, otherwise the best match for the browser's preferences,
    /// otherwise English.
    /// - Parameters:
    ///   - cookie: the value of the language cookie; ignored unless it is one of our tags.
    ///   - acceptLanguage: the `Accept-Language` field (RFC 9110 §12.5.4). Malformed members are skipped.
    package static func preferred(cookie: String?, wish: String? = nil, acceptLanguage: String?) -> Language {
        for choice in [cookie, wish] {
            if let choice, let chosen = Language(rawValue: choice) { return chosen }
        }
        let ranges = (acceptLanguage ?? "").split(separator: ",").compactMap { LanguageRange(member: $0) }
        var best: (language: Language, quality: Int)?
        for range in ranges where range.quality > 0 {
            guard let language = range.match, range.quality > best?.quality ?? 0 else { continue }
            // "*" stands for all languages that no other member names, so it must not include one that is refused with
            // q=0.
            let isRefused = ranges.contains { $0.quality == 0 && !$0.isWildcard && $0.match == language }
            if !(range.isWildcard && isRefused) {
                best = (language, range.quality)
            }
        }
        return best?.language ?? .english
    }

    /// The first supported language among those that an app asks for: `ui_locales` (OpenID Connect Core §3.1.2.1), or
    /// one `locale` with an underscore.
    package static func wished(in list: String) -> Language? {
        list.split(separator: " ").lazy.compactMap { tag in
            tag.split(whereSeparator: { "-_".contains($0) }).first.flatMap { Language(rawValue: $0.lowercased()) }
        }.first
    }
}

/// One member of `Accept-Language`: a language range and its weight.
private struct LanguageRange {
    /// The primary subtag in lower case, or "*".
    let primary: String
    /// The weight in thousandths, 0...1000: RFC 9110 §12.4.2 allows three decimals.
    let quality: Int

    var isWildcard: Bool { primary == "*" }

    /// Look-up by the primary subtag (RFC 4647 §3.4): "en-GB" gives English, since our languages have no regional
    /// variants.
    var match: Language? { isWildcard ? .english : Language(rawValue: primary) }

    init?(member: Substring) {
        let parts = member.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed }
        guard let primary = parts[0].split(separator: "-").first, parts.count <= 2 else { return nil }
        self.primary = primary.lowercased()
        if parts.count == 2 {
            guard let quality = Self.quality(parts[1]) else { return nil }
            self.quality = quality
        } else {
            self.quality = 1000
        }
    }

    /// Reads `q=0.5` as 500.
    private static func quality(_ weight: Substring) -> Int? {
        guard weight.lowercased().hasPrefix("q=") else { return nil }
        let digits = weight.dropFirst(2).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard digits[0] == "0" || digits[0] == "1" else { return nil }
        let decimals = digits.count == 2 ? digits[1] : ""
        guard decimals.utf8.count <= 3, decimals.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let padded = decimals + String(repeating: "0", count: 3 - decimals.utf8.count)
        let quality = (digits[0] == "1" ? 1000 : 0) + (Int(padded) ?? 0)
        return quality <= 1000 ? quality : nil
    }
}

extension Substring {
    /// Without the optional white space of RFC 9110 §5.6.3.
    fileprivate var trimmed: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = drop(while: isSpace)
        while let last = rest.last, isSpace(last) {
            rest.removeLast()
        }
        return rest
    }
}
