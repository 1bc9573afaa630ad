import Directory

/// A bounded cache of transliterated names, because the same names recur.
final class SimplifiedNames {
    private static let countMax = 10_000

    private var known: [String: String] = [:]

    func simplify(_ name: String) -> String {
        if name.utf8.allSatisfy(\.isASCIILetterOrDigit) { return UserNameFormat.simplified(name) }
        if let simplified = known[name] { return simplified }
        if known.count >= Self.countMax { known.removeAll(keepingCapacity: true) }
        let simplified = UserNameFormat.simplified(name)
        known[name] = simplified
        return simplified
    }
}
