import Foundation
import Ground

/// The HTTP request that asks the API for an operation, for programs that have the operation as a value.
package struct OperationRequest: Equatable, Sendable {
    package let method: OperationRoute.Method
    package let root: OperationRoute.Root
    /// The path below the root, percent-encoded.
    package let path: String
    package let query: [FormField]
    /// The body as JSON; nil if all inputs are in the path or in the query.
    package let body: Data?

    package init<O: Operation>(_ operation: O) throws {
        let encoded = try JSONValue(reading: try JSONEncoder.administration.encode(operation))
        var inputs = (encoded.fields ?? [:]).filter { $0.value != .null }
        path = O.route.path.split(separator: "/").map { part in
            guard part.hasPrefix("{") else { return String(part) }
            let name = String(part.dropFirst().dropLast())
            guard let text = inputs.removeValue(forKey: name)?.queryText else {
                preconditionFailure("\(O.name) has no text for \(name) in its path")
            }
            return FormEncoding.escape(text)
        }.joined(separator: "/")
        root = O.route.root
        method = O.route.method
        switch method {
        case .post:
            query = []
            body = inputs.isEmpty ? nil : try JSONEncoder.administration.encode(inputs)
        case .get, .delete:
            query = inputs.sorted { $0.key < $1.key }.map { name, value in
                guard let text = value.queryText else {
                    preconditionFailure("\(O.name) has a \(name) that does not fit into a query")
                }
                return FormField(name, text)
            }
            body = nil
        }
    }
}

extension JSONValue {
    /// The value as text; nil for anything but a text, number or truth value.
    fileprivate var queryText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .boolean(let flag): String(flag)
        case .null, .number, .array, .object: nil
        }
    }
}
