import Administration
import Foundation
import Testing

@testable import ConsolePages
@testable import ServerPages

/// What needs attention has words in each language, and a page on which it is dealt with. A kind that is new has neither
/// before somebody has written both.
@Suite struct HomeTaskTests {
    /// Each kind with everything that it may name, and with nothing of it.
    static let findings: [String] = Finding.Kind.allCases.filter { $0 != .serverNeedsOperator }.flatMap { kind in
        [
            #"{"kind": "\#(kind.rawValue)"}"#,
            #"{"kind": "\#(kind.rawValue)", "count": 2, "on": "2026-12-01", "person": 7, "fullName": "Ana", "app": 3,"#
                + #" "appName": "Quizzler", "pickUp": 5, "location": "Maple High"}"#,
        ]
    }

    static let dueDates: [String] = DueDate.Kind.allCases.flatMap { kind in
        [
            #"{"kind": "\#(kind.rawValue)", "on": "2026-12-01", "count": 1}"#,
            #"{"kind": "\#(kind.rawValue)", "on": "2026-12-01", "count": 2, "location": "Maple High", "term": "Fall","#
                + #" "app": "Quizzler", "isAnnounced": true, "planID": "p", "role": "student"}"#,
        ]
    }

    @Test("each finding has words and one link, in each language", arguments: findings)
    func finding(_ json: String) throws {
        let decoded = try JSONDecoder().decode(Finding.self, from: Data(json.utf8))
        try Self.check(decoded, explained: true) { $0.task(at: $1) }
    }

    @Test("what is wrong with the server has words in each language, and no link: nothing here mends it")
    func server() throws {
        for trouble in ServerTrouble.allCases.map(\.rawValue) + ["-"] {
            let named = trouble == "-" ? "" : #", "trouble": "\#(trouble)""#
            let finding = try JSONDecoder().decode(
                Finding.self, from: Data(#"{"kind": "server-needs-operator"\#(named)}"#.utf8))
            let task = finding.task(at: Self.desk(Set(Privilege.allCases)))
            #expect(task.link == nil && task.urgency == .danger)
            try Self.check([task.title, try #require(task.explanation)])
        }
    }

    @Test("what is told of mail and of consents is what can be seen and done")
    func truth() throws {
        let catalogue = try Catalogue(.english, json: PageBook.console.catalogue(.english))
        func task(_ json: String) throws -> ToDo {
            try JSONDecoder().decode(Finding.self, from: Data(json.utf8)).task(at: Self.desk(Set(Privilege.allCases)))
        }
        let mail = try task(#"{"kind": "mail-is-undelivered", "fullName": "Ana", "on": "2026-12-01"}"#)
        #expect(
            catalogue.text(mail.title, with: [:])
                == "Mail to Ana does not arrive. The last that failed is of 1 December 2026.")
        // A renewal keeps the giver of a consent.
        let consent = try #require(try task(#"{"kind": "consent-is-orphaned"}"#).explanation)
        let words = try #require(catalogue.text(consent, with: [:]))
        #expect(words.contains("connect the app anew") && !words.contains("renew"))
    }

    @Test("each day that is due has words and one link, in each language", arguments: dueDates)
    func dueDate(_ json: String) throws {
        let decoded = try JSONDecoder().decode(DueDate.self, from: Data(json.utf8))
        let isAtPlace = decoded.location != nil && [.termEnds, .passwordsEnd, .roleEnds].contains(decoded.kind)
        try Self.check(decoded, explained: isAtPlace) { DueTask.tasks(for: [$0])[0].toDo(at: $1) }
    }

    @Test(
        "what is due at many locations on one day is one task, which names three of them",
        arguments: dueDates.indices)
    func manyLocations(_ index: Int) throws {
        let decoded = try JSONDecoder().decode(DueDate.self, from: Data(Self.dueDates[index].utf8))
        let isByLocation = [.termEnds, .passwordsEnd, .roleEnds].contains(decoded.kind)
        let names = ["Ash High", "Birch High", "Cedar High", "Dogwood High", "Elm High"]
        let catalogue = try Catalogue(.english, json: PageBook.console.catalogue(.english))
        for count in 1...names.count {
            let dates = try names.prefix(count).map { name in
                let json = try JSONEncoder().encode(decoded)
                var fields = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
                fields["location"] = name
                return try JSONDecoder().decode(DueDate.self, from: try JSONSerialization.data(withJSONObject: fields))
            }
            let tasks = DueTask.tasks(for: dates)
            guard isByLocation else {
                #expect(tasks.count == count, "each is seen to by itself")
                continue
            }
            #expect(tasks.count == 1)
            let task = tasks[0].toDo(at: Self.desk(Set(Privilege.allCases)))
            let places = try #require(task.explanation)
            try Self.check([task.title, places])
            let words = catalogue.text(places, with: [:])
            #expect(
                words
                    == [
                        "Ash High", "Ash High, Birch High", "Ash High, Birch High, Cedar High",
                        "Ash High, Birch High, Cedar High, and 1 more", "Ash High, Birch High, Cedar High, and 2 more",
                    ][count - 1])
        }
    }

    @Test("what differs in its day, its term or its role stays apart, and so does what concerns no location")
    func apart() throws {
        let dates = try [
            #"{"kind": "term-ends", "on": "2026-12-01", "count": 1, "location": "Ash High", "term": "Fall"}"#,
            #"{"kind": "term-ends", "on": "2026-12-02", "count": 1, "location": "Birch High", "term": "Fall"}"#,
            #"{"kind": "term-ends", "on": "2026-12-01", "count": 1, "location": "Birch High", "term": "Winter"}"#,
            #"{"kind": "role-ends", "on": "2026-12-01", "count": 1, "location": "Ash High", "role": "student"}"#,
            #"{"kind": "role-ends", "on": "2026-12-01", "count": 1, "location": "Ash High", "role": "instructor"}"#,
            #"{"kind": "passwords-end", "on": "2026-12-01", "count": 1}"#,
            #"{"kind": "passwords-end", "on": "2026-12-01", "count": 1}"#,
        ].map { try JSONDecoder().decode(DueDate.self, from: Data($0.utf8)) }
        #expect(DueTask.tasks(for: dates).count == dates.count)
    }

    static func desk(_ privileges: Set<Privilege>) -> Desk {
        Desk(
            organization: Badge(name: "Maple District", id: "1"), isSchool: true,
            person: SignedInPerson(
                name: "Chen Wei", userName: "chen.wei@maple.example", role: .administrator, id: "2"),
            privileges: privileges, wholePrivileges: privileges, wholeRoles: [], path: "/manager")
    }

    /// - Parameter task: what somebody at a desk is told of it.
    private static func check<Matter>(
        _ matter: Matter, explained: Bool, _ task: (Matter, Desk) -> ToDo
    ) throws {
        // A link only leads where its reader may go.
        #expect(task(matter, desk([])).link == nil)
        let task = task(matter, desk(Set(Privilege.allCases)))
        let link = try #require(task.link)
        #expect(link.path.hasPrefix("/manager/"))
        #expect((task.explanation != nil) == explained)
        try check([task.title, task.explanation, link.label].compactMap(\.self))
    }

    /// Each sentence is there in each language, and names nothing that it is not given.
    private static func check(_ sentences: [Sentence]) throws {
        for language in Language.allCases {
            let words = try words(of: language)
            for sentence in sentences {
                let forms = try #require(words[sentence.key], "\(sentence.key) in \(language.rawValue)")
                for form in forms {
                    #expect(!form.isEmpty)
                    let placeholders = form.matches(of: /\{(\w+)\}/).map { String($0.1) }
                    #expect(Set(placeholders).isSubset(of: sentence.values.keys), "\(form)")
                }
            }
        }
    }

    /// The forms of each sentence.
    private static func words(of language: Language) throws -> [String: [String]] {
        var words: [String: [String]] = [:]
        for document in PageBook.console.catalogue(language) {
            let sections = try #require(
                try JSONSerialization.jsonObject(with: Data(document)) as? [String: [String: Any]])
            for (section, sentences) in sections {
                for (name, value) in sentences {
                    let forms = (value as? [String: String])?.filter { $0.key != "count" }.map(\.value)
                    if let forms {
                        words["\(section).\(name)"] = forms
                    } else {
                        words["\(section).\(name)"] = [try #require(value as? String)]
                    }
                }
            }
        }
        return words
    }
}
