import Authorization
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages

/// A cookie that carries form input to the next page at a path. It contains only what the browser has just sent, and is
/// valid for one page and a minute.
struct CarriedCookie: Sendable {
    let path: String
    let carried: Carried

    /// Browsers keep at most 4 kB, including the name.
    private static let bytesMax = 3_800
    private static let lifetime = 60

    init(_ carried: Carried, to path: String) {
        self.carried = carried
        self.path = path
    }

    /// Nil for a malformed value.
    init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax, let fields = FormEncoding.decode(text),
            let path = fields.first(where: { $0.name == "path" })?.value
        else { return nil }
        self.init(Carried(fields), to: path)
    }

    /// Adds the cookie to an answer, unless it is empty or too large.
    func put(into response: inout Response, isSecure: Bool) {
        let text = FormEncoding.encode([FormField("path", path)] + carried.fields)
        guard !carried.isEmpty, text.utf8.count <= Self.bytesMax else { return }
        response.set(.carried, to: text, maxAge: Self.lifetime, isSecure: isSecure)
    }
}

extension RequestParameters {
    /// The typed values of a form that may be shown again.
    var typed: [String: String] {
        Dictionary(uniqueKeysWithValues: Carried.names.compactMap { name in (try? self[name]).map { (name, $0) } })
    }
}
