import Foundation
import Ground
import LanyardAPI
import Synchronization

/// A person's name.
public struct PersonName: Codable, Equatable, Sendable {
    public var givenName: String?
    public var familyName: String?

    public init(givenName: String? = nil, familyName: String? = nil) {
        self.givenName = givenName
        self.familyName = familyName
    }
}

/// Stores people's names. The service sends a name only when a person uses the app for the first time, so an app stores
/// it together with its other data about the person.
///
/// Everywhere `id` is that of ``SignedInPerson``. What a method throws, the request fails with: nobody is signed in
/// then, and a notification is sent again.
public protocol NameStore: Sendable {
    /// The name that was kept; nil if none was. Asked at each sign-in with which no name comes.
    func name(ofPerson id: String) async throws -> PersonName?
    /// Keeps the name, in place of an earlier one.
    func keep(_ name: PersonName, ofPerson id: String) async throws
    /// Deletes the name, because the person's account was deleted. Does nothing if there is none.
    func forget(person id: String) async throws
}

/// Stores names in memory until the program ends, for trials.
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
    /// The name is typed by a person or by somebody at their browser, so invisible characters are removed and its
    /// length is limited to what fits into a cookie.
    private static let charactersMax = 100

    /// Nil if there is no name in it.
    init?(_ name: SignInUser.Name?) {
        self.init(givenName: Self.tidy(name?.firstName), familyName: Self.tidy(name?.lastName))
        if givenName == nil, familyName == nil { return nil }
    }

    private static func tidy(_ text: String?) -> String? {
        let visible = (text ?? "").unicodeScalars.filter { !$0.isControl && !$0.isInvisible && !$0.isUnassigned }
        let tidied = String(String.UnicodeScalarView(visible)).trimmingCharacters(in: .whitespaces)
        // A letter with many combining marks could have any number of bytes.
        let short = String(String(tidied.prefix(charactersMax)).unicodeScalars.prefix(2 * charactersMax))
        return short.isEmpty ? nil : short
    }
}
