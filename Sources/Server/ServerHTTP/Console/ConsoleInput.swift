import Administration
import Authorization
import Foundation
import Hummingbird
import ServerPages

/// The fields of a form of the console.
struct ConsoleInput: Sendable {
    private let form: RequestParameters

    init(_ form: RequestParameters) { self.form = form }

    /// What was typed, without white space around it; nil if nothing was.
    /// - Throws: ``OAuthError`` `invalid_request` if the field is there twice.
    subscript(name: String) -> String? {
        get throws {
            let text = try form[name]?.trimmingCharacters(in: .whitespacesAndNewlines)
            return text?.isEmpty == false ? text : nil
        }
    }

    /// Whether somebody has typed that name, so that what nothing takes back does not happen by one careless press. Of a long
    /// name pages show the beginning, which is enough.
    func repeats(_ name: String, in field: String = "name") throws -> Bool {
        let typed = try self[field]
        return typed == name || typed == name.shown
    }

    /// The values of a field that can be there several times.
    func all(_ name: String) -> [String] { form.all(name) }

    /// The value of one of an enumeration's cases; nil if none was chosen or the text is none of them.
    func value<Value: RawRepresentable<String>>(_ name: String, as: Value.Type = Value.self) throws -> Value? {
        try self[name].flatMap(Value.init(rawValue:))
    }

    /// The same, of a field that must have one of them.
    /// - Throws: ``OperationError/invalid(field:reason:)``
    func required<Value: RawRepresentable<String>>(_ name: String, as: Value.Type = Value.self) throws -> Value {
        guard let value: Value = try value(name) else {
            throw OperationError.invalid(field: name, reason: "is missing, or none of those that there are")
        }
        return value
    }

    /// A whole number; nil if nothing was typed.
    /// - Parameter words: what the field is called, for the refusal.
    /// - Throws: ``OperationError/invalid(field:reason:)``
    func number(_ name: String, called words: String) throws -> Int? {
        guard let text = try self[name] else { return nil }
        guard let number = Int(text) else { throw OperationError.invalid(field: words, reason: "is no whole number") }
        return number
    }

    /// What was typed and chosen in these fields, some of which can be there several times.
    func values(_ names: [String]) -> [String: [String]] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, all($0)) })
    }

    /// What was typed into these fields, to be shown again.
    func typed(_ names: [String]) throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: try names.map { ($0, try self[$0] ?? "") })
    }

    /// The lines of a field, without empty ones; nil if nothing was typed.
    func lines(_ name: String) throws -> [String]? {
        try self[name]?.split(whereSeparator: { $0.isNewline || $0 == "," || $0 == ";" })
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Whether the person has seen what will happen, and goes on.
    var isConfirmed: Bool { get throws { try self["confirmed"] == "yes" } }

    /// The version of the subject that the person has seen.
    var version: String? { get throws { try self["version"] } }
}

extension AppContext {
    /// A number in the path.
    /// - Throws: ``PageError/notFound``
    func pathNumber(_ name: String) throws -> Int64 {
        guard let number = parameters.get(name).flatMap({ Int64($0) }), number > 0 else { throw PageError.notFound }
        return number
    }
}
