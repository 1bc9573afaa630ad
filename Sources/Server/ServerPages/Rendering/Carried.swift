import Foundation
import Ground

/// What a page keeps when it is shown again, in another language or after a sign-in in another tab: what was typed, and
/// which problems were reported. Never a password.
package struct Carried: Equatable, Sendable {
    struct Problem: Equatable, Sendable {
        /// The field's name; nil for a problem of the whole form.
        let field: String?
        /// The key of the sentence in the catalogues, and the numbers in it.
        let key: String
        var counts: [String: Int] = [:]
    }

    /// What was typed, by the names of the fields.
    var typed: [String: String] = [:]
    var problems: [Problem] = []

    init() {}

    /// A form that was sent from a page of an earlier visit.
    package static func stale(typed: [String: String]) -> Carried {
        var carried = Carried()
        carried.typed = typed
        carried.problems = [Problem(field: nil, key: Sentence.staleForm.key)]
        return carried
    }

    /// Fields whose content may be shown again.
    package static let names = ["username", "email", "given_name", "family_name", "user_code", "confirmation"]

    package var isEmpty: Bool { typed.isEmpty && problems.isEmpty }
}

/// As fields, which the language switch and a cookie hold form-encoded: `typed.email`, `problem.email` with the key of
/// a sentence, `count.email.minutes`.
extension Carried {
    /// Fields with other names are ignored.
    package init(_ fields: [FormField]) {
        for field in fields {
            let value = field.value
            let parts = field.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            switch (parts[0], parts.count) {
            case ("typed", 2) where Self.names.contains(parts[1]): typed[parts[1]] = value
            case ("problem", 2): problems.append(Problem(field: parts[1].isEmpty ? nil : parts[1], key: value))
            case ("count", 3):
                guard let last = problems.indices.last, problems[last].field ?? "" == parts[1], let count = Int(value)
                else { continue }
                problems[last].counts[parts[2]] = count
            default: continue
            }
        }
    }

    package var fields: [FormField] {
        typed.sorted { $0.key < $1.key }.map { FormField("typed.\($0.key)", $0.value) }
            + problems.flatMap { problem in
                [FormField("problem.\(problem.field ?? "")", problem.key)]
                    + problem.counts.map { FormField("count.\(problem.field ?? "").\($0.key)", String($0.value)) }
            }
    }
}

extension View {
    /// What the page keeps if it is shown again.
    var carried: Carried {
        var carried = Carried()
        if case .sentence(let sentence)? = content["problem"] { carried.problems.append(sentence.problem(of: nil)) }
        for field in fields {
            guard case .text(let name)? = field["fieldName"] else { continue }
            if Carried.names.contains(name), case .text(let value)? = field["fieldValue"], !value.isEmpty {
                carried.typed[name] = value
            }
            if case .sentence(let sentence)? = field["fieldProblem"] {
                carried.problems.append(sentence.problem(of: name))
            }
        }
        return carried
    }

    private var fields: [Content] { Self.fields(in: content) }

    private static func fields(in content: Content) -> [Content] {
        if content["fieldLabel"] != nil { return [content] }
        return content.values.flatMap { value in
            switch value {
            case .group(let content): fields(in: content)
            case .list(let rows): rows.flatMap(fields)
            case .text, .appName, .address, .count, .day, .flag, .sentence: [Content]()
            }
        }
    }

    /// The page with what it keeps from before.
    /// - Parameter isKnown: whether the catalogues have a sentence with that key.
    func carrying(_ carried: Carried, isKnown: (String) -> Bool) -> View {
        let problems = carried.problems.filter { isKnown($0.key) }
        var content = content.mapValues { Self.value($0, carrying: carried.typed, problems) }
        if let problem = problems.first(where: { $0.field == nil }), content["problem"] != nil {
            content["problem"] = .sentence(problem.sentence)
        }
        return View(template, heading: heading, content: content, owner: owner, isWide: isWide)
    }

    private static func value(_ value: Value, carrying typed: [String: String], _ problems: [Carried.Problem]) -> Value
    {
        switch value {
        case .group(let content): .group(field(content, carrying: typed, problems))
        case .list(let rows): .list(rows.map { field($0, carrying: typed, problems) })
        case .text, .appName, .address, .count, .day, .flag, .sentence: value
        }
    }

    private static func field(
        _ content: Content, carrying typed: [String: String], _ problems: [Carried.Problem]
    ) -> Content {
        guard content["fieldLabel"] != nil, case .text(let name)? = content["fieldName"] else {
            return content.mapValues { value($0, carrying: typed, problems) }
        }
        var content = content
        if let text = typed[name], Carried.names.contains(name) { content["fieldValue"] = .text(text) }
        if let problem = problems.first(where: { $0.field == name }) {
            content["fieldProblem"] = .sentence(problem.sentence)
            content["isInvalid"] = .flag(true)
            content["describedBy"] = .text("\(name)-problem")
        }
        return content
    }
}

extension Sentence {
    /// Shown on a page whose form was sent from an earlier visit.
    static let staleForm = Sentence("form.stale")

    fileprivate func problem(of field: String?) -> Carried.Problem {
        let counts = values.compactMapValues { value -> Int? in if case .count(let count) = value { count } else { nil }
        }
        return Carried.Problem(field: field, key: key, counts: counts)
    }
}

extension Carried.Problem {
    var sentence: Sentence { Sentence(key, counts.mapValues { .count($0) }) }
}
