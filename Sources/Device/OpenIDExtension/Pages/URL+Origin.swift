import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension URL {
    /// nil if it is no URL of the web.
    var origin: WebOrigin? { WebOrigin(of: self) }

    var isLoopback: Bool { origin?.isLoopback ?? false }

    /// Whether secrets may travel to it.
    var isSafe: Bool { origin?.isSafeForSecrets ?? false }

    /// With further parameters behind those that are there; without its fragment.
    func adding(_ fields: [FormField]) -> URL {
        guard !fields.isEmpty else { return self }
        let text = absoluteString.prefix { $0 != "#" }
        let separator = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
        return URL(string: text + separator + FormEncoding.encode(fields)) ?? self
    }

    /// The parameters of the query, then those of the fragment.
    var parameters: [FormField] {
        let text = absoluteString
        let halves = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let query = halves[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (query.count > 1 ? FormEncoding.decodeAsBrowsersDo(String(query[1])) : [])
            + (halves.count > 1 && halves[1].contains("=") ? FormEncoding.decodeAsBrowsersDo(String(halves[1])) : [])
    }
}

extension [FormField] {
    /// The value of a name that occurs once; nil if it is absent, or there are several to choose from.
    func only(_ name: String) -> String? {
        let values = filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
}
