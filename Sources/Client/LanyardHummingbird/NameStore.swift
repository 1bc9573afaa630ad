import Foundation
import Ground
import LanyardAPI
import Synchronization

/// What a person is called.
public struct PersonName: Codable, Equatable, Sendable {
    public var givenName: String?
    public var familyName: String?

    public init(givenName: String? = nil, familyName: String? = nil) {
        self.givenName = givenName
        self.familyName = familyName
    }
}

/// Remembers what people are called. The service says it once, when a person uses the app for the first time, so an app keeps
/// it where it keeps everything else about the person.
public protocol NameStore: Sendable {
    func name(ofPerson id: String) async throws -> PersonName?
    func keep(_ name: PersonName, ofPerson id: String) async throws
    /// The person's account is gone.
    func forget(person id: String) async throws
}

/// Remembers names until the program ends: for trying things out.
public final class MemoryNameStore: NameStore {
    private let names = Mutex<[String: PersonName]>([:])

    public init() {}

    public func name(ofPerson id: String) -> PersonName? {
        names.withLock { $0[id] }
    }

    public func keep(_ name: PersonName, ofPerson id: String) {
        names.withLock { $0[id] = name }
    }

    public func forget(person id: String) {
        names.withLock { $0[id] = nil }
    }
}

extension PersonName {
    /// A person, or whoever held their browser, has typed this: nothing invisible, and no more than a cookie holds.
    private static let charactersMax = 100

    /// Nil if there is no name in it.
    init?(_ name: SignInUser.Name?) {
        self.init(givenName: Self.tidy(name?.firstName), familyName: Self.tidy(name?.lastName))
        if givenName == nil, familyName == nil { return nil }
    }

    private static func tidy(_ text: String?) -> String? {
        let visible = (text ?? "").unicodeScalars.filter { !$0.isControl && !$0.isInvisible && !$0.isUnassigned }
        let tidied = String(String.UnicodeScalarView(visible)).trimmingCharacters(in: .whitespaces)
        // Letters of many marks each could be any number of bytes.
        let short = String(String(tidied.prefix(charactersMax)).unicodeScalars.prefix(2 * charactersMax))
        return short.isEmpty ? nil : short
    }
}
