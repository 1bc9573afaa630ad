import Authorization
import Foundation
import Ground
import HTTPTypes
import Hummingbird
import ServerPages

/// What the next page at a path takes over, on its way through the browser. It says nothing that the browser did not just
/// send, and is good for one page and a minute.
struct CarriedCookie: Sendable {
    let path: String
    let carried: Carried

    /// Browsers keep 4 kB, with the name.
    private static let bytesMax = 3_800
    private static let lifetime = 60

    init(_ carried: Carried, to path: String) {
        self.carried = carried
        self.path = path
    }

    /// Nil for anything that is none.
    init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax, let fields = FormEncoding.decode(text),
            let path = fields.first(where: { $0.name == "path" })?.value
        else { return nil }
        self.init(Carried(fields), to: path)
    }

    /// Sends it along, unless there is nothing in it, or too much.
    func put(into response: inout Response, isSecure: Bool) {
        let text = FormEncoding.encode([FormField("path", path)] + carried.fields)
        guard !carried.isEmpty, text.utf8.count <= Self.bytesMax else { return }
        response.set(.carried, to: text, maxAge: Self.lifetime, isSecure: isSecure)
    }
}

extension Authorization.Parameters {
    /// What was typed into a form and may be shown again.
    var typed: [String: String] {
        Dictionary(uniqueKeysWithValues: Carried.names.compactMap { name in (try? self[name]).map { (name, $0) } })
    }
}
