import Authorization
import Directory
import Ground
import Storage

/// The answers of ``RosterRoutes`` about people and classes, for whoever looks in the place of an app: the same
/// records, written by the same ``RosterJSON``.
package struct RosterViewer: RosterViewing {
    private let roster: RosterService

    package init(_ roster: RosterService) { self.roster = roster }

    package func answer(
        to call: String, as seer: RosterSeer, in transaction: ReadTransaction
    ) throws -> RosterSight {
        let parts = call.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let fields = FormEncoding.decode(parts.count > 1 ? String(parts[1]) : "") else {
            throw OAuthError(.invalidRequest, "the query is not percent-encoded UTF-8")
        }
        let parameters = RequestParameters(fields)
        func id(_ segment: Substring) throws -> String {
            guard let id = FormEncoding.decodePathSegment(String(segment)) else { throw RosterRefusal.notFound }
            return id
        }
        let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        switch (path.first, path.count, path.last) {
        case ("users", 1, _):
            return Self.people(try roster.preview(.users, parameters, as: seer, in: transaction))
        case ("users", 2, _):
            let reading = try roster.preview(.user(try id(path[1])), as: seer, in: transaction)
            return Self.sight(RosterJSON(reading).user(reading.value), of: [reading.value.id])
        case ("classes", 1, _):
            let reading = try roster.preview(.classes, parameters, as: seer, in: transaction)
            return Self.sight(
                RosterJSON(reading).classes(reading.value),
                of: reading.value.records.flatMap { $0.instructors + $0.students })
        case ("classes", 2, _):
            let reading = try roster.preview(.class(WireID.parseClass(try id(path[1]))), as: seer, in: transaction)
            return Self.sight(
                RosterJSON(reading).class(reading.value), of: reading.value.instructors + reading.value.students)
        case ("classes", 3, "users"):
            let list = RosterList.users(ofClass: WireID.parseClass(try id(path[1])))
            return Self.people(try roster.preview(list, parameters, as: seer, in: transaction))
        default: throw RosterRefusal.notFound
        }
    }

    private static func people(_ reading: RosterReading<RosterPage<RosterPerson>>) -> RosterSight {
        sight(RosterJSON(reading).users(reading.value), of: reading.value.records.map(\.id))
    }

    private static func sight(_ body: [UInt8], of people: [PersonID]) -> RosterSight {
        RosterSight(body: String(decoding: body, as: UTF8.self), people: Set(people).sorted())
    }
}
