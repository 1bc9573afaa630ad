import Foundation
import LanyardHummingbird

/// What Quizzler stores about people who sign in, in memory and in one JSON file. A change is written to disk before it
/// takes effect.
actor PeopleStore: NameStore {
    struct Account: Codable, Equatable, Sendable {
        /// Lanyard sends it only once, when the person signs in for the first time.
        var name: PersonName?
        var lastSignIn: Date?
        /// Sessions that began before this time have ended.
        var sessionsFrom: Date?
        /// Right answers in the practice quiz.
        var bestScore: Int?
    }

    private let file: JSONFile
    /// By `SignedInPerson.id`.
    private(set) var accounts: [String: Account]

    /// Creates the folder if it does not exist.
    init(folder: URL) throws {
        file = try JSONFile("people.json", in: folder)
        accounts = try file.read([String: Account].self) ?? [:]
    }

    /// Records a sign-in, and creates the account at the first one.
    func welcome(_ person: SignedInPerson) throws {
        try change(person.id) { account in
            var welcomed = account ?? Account()
            welcomed.sessionsFrom = welcomed.sessionsFrom ?? person.signedInAt
            welcomed.lastSignIn = person.signedInAt
            account = welcomed
        }
    }

    /// Whether the person's session belongs to the account that exists now.
    func knows(_ person: SignedInPerson) -> Bool {
        accounts[person.id]?.sessionsFrom.map { $0 <= person.signedInAt } ?? false
    }

    func keep(score: Int, of personID: String) throws {
        try change(personID) { account in
            let best = account?.bestScore ?? 0
            account?.bestScore = max(score, best)
        }
    }

    /// Deletes the data of a person who has stopped using Quizzler. If they have signed in again since then, their
    /// newer data stays.
    /// - Parameter time: In whole seconds.
    func end(_ personID: String, at time: Date) throws {
        try change(personID) { account in
            guard let lastSignIn = account?.lastSignIn, lastSignIn >= time.addingTimeInterval(1) else {
                account = nil
                return
            }
            account?.sessionsFrom = time
        }
    }

    func forget(person id: String) throws {
        try change(id) { $0 = nil }
    }

    func name(ofPerson id: String) -> PersonName? {
        accounts[id]?.name
    }

    func keep(_ name: PersonName, ofPerson id: String) throws {
        try change(id) { account in
            account = account ?? Account()
            account?.name = name
        }
    }

    private func change(_ id: String, _ change: (inout Account?) -> Void) throws {
        var changed = accounts
        change(&changed[id])
        guard changed != accounts else { return }
        try file.write(changed)
        accounts = changed
    }
}
