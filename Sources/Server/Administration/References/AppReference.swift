import Authorization
import Directory
import Storage

/// Which app is meant: by a client id, its exact name, or `app:` and its number, as the audit trail has it.
package struct AppReference: Codable, Equatable, Sendable {
    let text: String

    package init(_ text: String) { self.text = text }
    package init(_ id: AppID) { text = "app:\(id.rawValue)" }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Also finds apps that were removed, by their number: the trail goes on knowing them.
    /// - Throws: ``OperationError/notFound(_:_:in:)``, ``OperationError/ambiguous(_:_:_:)``
    func find(_ transaction: some Transaction) throws -> App {
        if let number = text.wholeMatch(of: /app:([0-9]{1,18})/).flatMap({ Int64($0.1) }),
            let found = try App.find(AppID(rawValue: number), in: transaction)
        {
            return found
        }
        if let found = try App.find(clientID: text, in: transaction) { return found }
        let named = try App.list(in: transaction).filter { $0.name == text }
        switch named.count {
        case 1: return named[0]
        case 0: throw OperationError.notFound(.app, text, in: nil)
        default: throw OperationError.ambiguous(.app, text, named.map { "app:\($0.id.rawValue)" })
        }
    }
}
