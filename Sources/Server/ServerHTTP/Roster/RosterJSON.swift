import Authorization
import Directory

/// Writes roster records as JSON, with the names and formats of the wire. Absent values are left out, never null.
struct RosterJSON {
    let organization: Organization
    let identifiers: PairwiseIdentifiers

    init(_ reading: RosterReading<some Sendable>) {
        organization = reading.organization
        identifiers = reading.identifiers
    }

    func users(_ page: RosterPage<RosterPerson>) -> [UInt8] {
        write("users", page, bytesEach: 480) { $0.write($1, with: self) }
    }

    func classes(_ page: RosterPage<RosterClass>) -> [UInt8] {
        write("classes", page, bytesEach: 2_400) { $0.write($1, with: self) }
    }

    func user(_ person: RosterPerson) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.write(person, with: self)
        return writer.bytes
    }

    func `class`(_ value: RosterClass) -> [UInt8] {
        var writer = JSONWriter(capacity: 4_096)
        writer.write(value, with: self)
        return writer.bytes
    }

    private func write<Record>(
        _ name: StaticString, _ page: RosterPage<Record>, bytesEach: Int,
        _ write: (inout JSONWriter, Record) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 128 + page.records.count * bytesEach)
        writer.object { writer in
            writer.key(name)
            writer.array(page.records, write)
            writer.key("moreToFollow")
            writer.bool(page.next != nil)
            if let next = page.next {
                writer.key("nextPageToken")
                writer.string(next)
            }
        }
        return writer.bytes
    }

    fileprivate func identifier(of person: PersonID) -> [UInt8] {
        identifiers.identifier(of: person, in: organization.id)
    }

    fileprivate func place(_ location: LocationID?) -> String {
        location.map(WireID.location) ?? organization.publicID
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ person: RosterPerson, with roster: RosterJSON) {
        object { writer in
            writer.key("id")
            writer.plain(roster.identifier(of: person.id))
            writer.optional("email", person.email)
            writer.optional("givenName", person.givenName)
            writer.optional("middleName", person.middleName)
            writer.optional("familyName", person.familyName)
            if person.roles.contains(where: { $0.role == .student }) { writer.optional("grade", person.grade) }
            writer.key("roles")
            writer.array(RosterRole.allCases.filter { role in person.roles.contains { $0.role == role } }) {
                $0.string($1.rawValue)
            }
            writer.key("roleLocationMapping")
            writer.array(person.roles) { writer, entry in
                writer.object { writer in
                    writer.key("roleName")
                    writer.string(entry.role.rawValue)
                    writer.key("locationId")
                    writer.string(roster.place(entry.location))
                }
            }
            writer.key("dateCreated")
            writer.date(person.createdAt)
            writer.key("dateLastModified")
            writer.date(person.modifiedAt)
        }
    }

    fileprivate mutating func write(_ value: RosterClass, with roster: RosterJSON) {
        object { writer in
            writer.key("id")
            writer.string(WireID.class(value.id))
            writer.optional("name", value.name)
            writer.optional("displayName", value.displayName)
            writer.optional("number", value.number)
            writer.optional("room", value.room)
            writer.optional("locationId", value.location.map(WireID.location))
            writer.key("instructorIds")
            writer.array(value.instructors) { $0.plain(roster.identifier(of: $1)) }
            writer.key("studentIds")
            // Students are read in the order of internal ids, which is the same for every team and would let two teams
            // join their records. The order of instructors has a meaning, and is kept.
            let students = value.students.map(roster.identifier(of:)).sorted { $0.lexicographicallyPrecedes($1) }
            writer.array(students) { $0.plain($1) }
            writer.key("dateCreated")
            writer.date(value.createdAt)
            writer.key("dateLastModified")
            writer.date(value.modifiedAt)
        }
    }

    private mutating func optional(_ name: StaticString, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        key(name)
        string(value)
    }
}
