import Authorization
import Foundation

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

    /// The values of a field that can be there several times.
    func all(_ name: String) -> [String] { form.all(name) }

    /// The value of one of an enumeration's cases; nil if none was chosen or the text is none of them.
    func value<Value: RawRepresentable<String>>(_ name: String, as: Value.Type = Value.self) throws -> Value? {
        try self[name].flatMap(Value.init(rawValue:))
    }

    /// Whether the person has seen what will happen, and goes on.
    var isConfirmed: Bool { get throws { try self["confirmed"] == "yes" } }

    /// The version of the subject that the person has seen.
    var version: String? { get throws { try self["version"] } }
}
