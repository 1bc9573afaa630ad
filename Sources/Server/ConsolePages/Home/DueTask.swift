import Administration
import Directory
import Ground
import ServerPages

/// What is due on one day, at one location or at several: a district has one task for the passwords of all its schools that
/// end on the same day, and not one for each school.
struct DueTask {
    /// What is the same at all locations.
    private struct Matter: Hashable {
        let kind: DueDate.Kind
        let on: CalendarDay
        let term: String?
        let role: Role?

        init(_ date: DueDate) {
            kind = date.kind
            on = date.on
            term = date.term
            role = date.role
        }
    }

    /// How many locations are named; the others are counted.
    private static let namedMax = 3

    private let date: DueDate
    /// The names of the locations; none if it concerns no single location.
    private let locations: [String]

    /// One task for each matter, in the order of the dates.
    static func tasks(for dates: [DueDate]) -> [DueTask] {
        let locations = Dictionary(grouping: dates.filter(\.isToldByLocation), by: Matter.init)
            .mapValues { $0.compactMap(\.location) }
        var told: Set<Matter> = []
        return dates.compactMap { date in
            guard date.isToldByLocation else { return DueTask(date: date, locations: []) }
            let matter = Matter(date)
            guard told.insert(matter).inserted else { return nil }
            return DueTask(date: date, locations: locations[matter] ?? [])
        }
    }

    /// Every sentence in which a task can be told.
    static let sentences: [Sentence] =
        DueDate.Kind.allCases.map { Sentence("consoleDue.\($0.key)") }
        + DueDate.Kind.allCases.filter(\.isToldByLocation).map { Sentence("consoleDue.\($0.key)_at_places") }

    /// With a link to where it is seen to, for whoever may go there.
    func toDo(at desk: Desk) -> ToDo {
        let words: Content = [
            "day": .day(date.on.date), "count": .count(date.count), "location": .text(date.location ?? ""),
            "term": .text(date.term ?? ""), "app": .text(date.app ?? ""),
            "role": date.role.map { .sentence($0.word) } ?? .text(""), "places": .count(locations.count),
        ]
        let section = date.kind.section
        return ToDo(
            date.kind.urgency,
            Sentence("consoleDue.\(date.kind.key)\(locations.count > 1 ? "_at_places" : "")", words), places,
            link: desk.sections.contains(section) ? ConsoleLink(section.label, to: section.path) : nil)
    }

    /// The first locations by name, and how many others there are; nil if it concerns no single location.
    private var places: Sentence? {
        let named = locations.prefix(Self.namedMax).map { Sentence("consoleDue.place", ["place": .text($0)]) }
        guard let last = named.last else { return nil }
        let names = named.dropLast().reversed().reduce(last) { rest, place in
            Sentence("consoleDue.and_places", ["place": .sentence(place), "rest": .sentence(rest)])
        }
        let more = locations.count - named.count
        return more == 0
            ? names : Sentence("consoleDue.more_places", ["names": .sentence(names), "more": .count(more)])
    }
}

extension DueDate {
    fileprivate var isToldByLocation: Bool {
        location != nil && kind.isToldByLocation
    }
}

extension DueDate.Kind {
    /// Whether there is one such date for each location. An import that waits is approved by itself, so that it has a task
    /// of its own.
    fileprivate var isToldByLocation: Bool {
        switch self {
        case .termEnds, .passwordsEnd, .roleEnds: true
        case .importIsHeld, .holdEnds, .retentionIsDue, .consentEnds, .organizationIsErased: false
        }
    }

    /// As the catalogues name it.
    fileprivate var key: String { rawValue.sentenceName }

    fileprivate var urgency: ToDo.Urgency {
        switch self {
        case .importIsHeld, .organizationIsErased: .danger
        case .consentEnds, .passwordsEnd, .retentionIsDue: .warning
        case .termEnds, .holdEnds, .roleEnds: .open
        }
    }

    /// Where it is seen to.
    fileprivate var section: ConsoleSection {
        switch self {
        case .importIsHeld: .imports
        case .passwordsEnd, .roleEnds: .people
        case .termEnds: .classes
        case .consentEnds: .apps
        case .holdEnds, .retentionIsDue, .organizationIsErased: .settings
        }
    }
}
