import Administration
import Foundation
import Ground
import Hummingbird
import NIOCore
import Synchronization

/// What an operation takes, by name. It is described for the first request and kept: to describe all operations before
/// that would delay the start.
final class OperationFields<O: Administration.Operation>: Sendable {
    private let described = Mutex<[String: ValueShape.Field]?>(nil)

    var byName: [String: ValueShape.Field] {
        described.withLock { described in
            if let described { return described }
            let fields = Dictionary(uniqueKeysWithValues: ValueShape.inputs(of: O.self).map { ($0.name, $0) })
            described = fields
            return fields
        }
    }
}

/// The inputs of an operation in a request: those of the path, the query and the body. Names that the operation does
/// not know are refused, so that a mistyped name is not taken for a value that was left out.
struct OperationInput<O: Administration.Operation> {
    /// Whether only a preview is wanted: `?dryRun=true`.
    let isDryRun: Bool
    private let values: [String: JSONValue]

    /// - Throws: ``OperationError/invalid(field:reason:)``
    init(_ request: Request, _ context: AppContext, of fields: OperationFields<O>) async throws {
        let inputs = fields.byName
        var values: [String: JSONValue] = [:]
        func put(_ name: String, _ value: JSONValue) throws {
            guard inputs[name] != nil else {
                throw OperationError.invalid(field: "field “\(name)”", reason: "is not one of \(O.name)")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw OperationError.invalid(field: "field “\(name)”", reason: "is there twice")
            }
        }
        for name in O.route.pathInputs {
            try put(name, try Self.value(of: try context.pathInput(name), inputs[name]))
        }
        guard let query = FormEncoding.decode(request.uri.query ?? "") else {
            throw OperationError.invalid(field: "query", reason: "is not percent-encoded UTF-8")
        }
        var isDryRun = false
        for field in query {
            let (name, text) = (field.name, field.value)
            if name == "dryRun", O.route.method != .get {
                guard let flag = Bool(text) else {
                    throw OperationError.invalid(field: "dryRun", reason: "is neither true nor false")
                }
                isDryRun = flag
            } else {
                try put(name, try Self.value(of: text, inputs[name]))
            }
        }
        for (name, value) in try await Self.body(of: request, context) where value != .null { try put(name, value) }
        self.isDryRun = isDryRun
        self.values = values
    }

    /// - Throws: ``OperationError/invalid(field:reason:)``
    func decode() throws -> O {
        let decoder = JSONDecoder.administration
        do {
            return try decoder.decode(O.self, from: try JSONEncoder().encode(values))
        } catch let error as DecodingError {
            throw OperationError(error)
        }
    }

    /// Converts a value of the path or the query, which is text, to the type that the operation declares.
    private static func value(of text: String, _ field: ValueShape.Field?) throws -> JSONValue {
        switch field?.shape {
        case .integer:
            guard let number = Int64(text) else {
                throw OperationError.invalid(field: field?.name ?? "", reason: "is not a whole number")
            }
            return .integer(number)
        case .boolean:
            guard let flag = Bool(text) else {
                throw OperationError.invalid(field: field?.name ?? "", reason: "is neither true nor false")
            }
            return .boolean(flag)
        default: return .string(text)
        }
    }

    private static func body(of request: Request, _ context: AppContext) async throws -> [String: JSONValue] {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: O.route.bodyBytesMax)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        }
        guard buffer.readableBytes > 0 else { return [:] }
        guard O.route.method == .post else {
            throw OperationError.invalid(field: "body", reason: "is not read here: the inputs belong into the query")
        }
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
            throw HTTPError(.unsupportedMediaType)
        }
        guard let fields = try? JSONValue(reading: Data(buffer.readableBytesView)).fields else {
            throw OperationError.invalid(field: "body", reason: "is not a JSON object")
        }
        return fields
    }
}

extension AppContext {
    /// A named segment of the path.
    /// - Throws: ``OperationError/invalid(field:reason:)`` for a broken escape or bytes that are not UTF-8, of which
    ///   an empty or a similar name must not come.
    func pathInput(_ name: String) throws -> String {
        guard let text = FormEncoding.decodePathSegment(try parameters.require(name)) else {
            throw OperationError.invalid(field: name, reason: "is not percent-encoded UTF-8")
        }
        return text
    }
}

extension OperationError {
    fileprivate init(_ error: DecodingError) {
        func name(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            (context.codingPath + (last.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
        }
        self =
            switch error {
            case .keyNotFound(let key, let context): .invalid(field: name(context, key), reason: "is missing")
            case .valueNotFound(_, let context): .invalid(field: name(context), reason: "is missing")
            case .typeMismatch(_, let context): .invalid(field: name(context), reason: "is of another type")
            case .dataCorrupted(let context):
                .invalid(field: name(context), reason: "is none of the values that it can have")
            @unknown default: .invalid(field: "body", reason: "cannot be read")
            }
    }
}
