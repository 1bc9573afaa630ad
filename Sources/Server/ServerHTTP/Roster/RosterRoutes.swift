import Authorization
import Directory
import Ground
import HTTPTypes
import Hummingbird
import LanyardAPI
import Storage

/// `GET /rosterapi/v1/…`: the people and classes of the organization that the token stands for.
struct RosterRoutes: Sendable {
    let reader: RosterReader
    let abbreviatesTimeZones: Bool

    func mount(on router: some RouterMethods<AppContext>) {
        let roster = router.group("rosterapi/v1")
        roster.get("users", use: users)
        roster.get("users/{id}", use: user)
        roster.get("classes", use: classes)
        roster.get("classes/{id}", use: rosterClass)
        roster.get("classes/{id}/users", use: usersOfClass)
        roster.get("organization", use: organization)
        roster.get("locations", use: locations)
        roster.get("locations/{id}", use: location)
    }

    // MARK: Users

    @Sendable private func users(_ request: Request, context: AppContext) async throws -> Response {
        let parameters = try request.queryParameters()
        let reader = reader
        let ((people, next), admission) = try await reader.read("users", request, context, where: \.readsUsers) {
            admission, transaction in
            let page = try reader.pageRequest(
                parameters, roles: RosterRole.allCases, endpoint: "users", access: admission.access)
            let people = try RosterPerson.page(
                of: admission.organization, role: page.role, after: PersonID(rawValue: page.last),
                limit: page.limit + 1,
                in: transaction)
            return reader.cut(people, to: page, endpoint: "users", access: admission.access, id: \.id.rawValue)
        }
        return .json(bytes: admission.writing.users(people, next: next))
    }

    @Sendable private func user(_ request: Request, context: AppContext) async throws -> Response {
        let text = try Self.id(context)
        let (person, admission) = try await reader.read("users/one", request, context, where: \.readsUsers) {
            admission, transaction in
            // An id of another team or organization decrypts to nothing, and no look-up is made.
            guard let id = admission.identifiers.person(text, in: admission.organization),
                let person = try RosterPerson.find(id, in: admission.organization, transaction)
            else { throw RosterError.notFound }
            return RosterReader.Reading(value: person, detail: "user \(id.rawValue)")
        }
        return .json(bytes: admission.writing.user(person))
    }

    @Sendable private func usersOfClass(_ request: Request, context: AppContext) async throws -> Response {
        let parameters = try request.queryParameters()
        let text = try Self.id(context)
        let reader = reader
        // People by way of a class: both scopes, for both are read.
        let ((people, next), admission) = try await reader.read(
            "classes/users", request, context, where: { $0.readsUsers && $0.readsClasses }
        ) { admission, transaction in
            guard let id = WireID.parseClass(text),
                try Directory.RosterClass.exists(id, in: admission.organization, transaction)
            else { throw RosterError.notFound }
            let endpoint = "classes/\(id.rawValue)/users"
            let page = try reader.pageRequest(
                parameters, roles: [.student, .instructor], endpoint: endpoint, access: admission.access)
            let people = try RosterPerson.page(
                ofClass: id, role: page.role, after: PersonID(rawValue: page.last), limit: page.limit + 1,
                in: transaction)
            return reader.cut(people, to: page, endpoint: endpoint, access: admission.access, id: \.id.rawValue)
        }
        return .json(bytes: admission.writing.users(people, next: next))
    }

    // MARK: Classes

    @Sendable private func classes(_ request: Request, context: AppContext) async throws -> Response {
        let parameters = try request.queryParameters()
        let reader = reader
        let ((classes, next), admission) = try await reader.read("classes", request, context, where: \.readsClasses) {
            admission, transaction in
            let page = try reader.pageRequest(parameters, roles: [], endpoint: "classes", access: admission.access)
            let classes = try Directory.RosterClass.page(
                of: admission.organization, after: ClassID(rawValue: page.last), limit: page.limit + 1, in: transaction)
            return reader.cut(classes, to: page, endpoint: "classes", access: admission.access, id: \.id.rawValue)
        }
        return .json(bytes: admission.writing.classes(classes, next: next))
    }

    @Sendable private func rosterClass(_ request: Request, context: AppContext) async throws -> Response {
        let text = try Self.id(context)
        let (value, admission) = try await reader.read("classes/one", request, context, where: \.readsClasses) {
            admission, transaction in
            guard let id = WireID.parseClass(text),
                let value = try Directory.RosterClass.find(id, in: admission.organization, transaction)
            else { throw RosterError.notFound }
            return RosterReader.Reading(value: value, detail: "class \(id.rawValue)")
        }
        return .json(bytes: admission.writing.class(value))
    }

    // MARK: Organization and locations

    @Sendable private func organization(_ request: Request, context: AppContext) async throws -> Response {
        let (answer, _) = try await reader.read("organization", request, context, where: Self.readsAnything) {
            admission, transaction in
            let organization = admission.access.organization
            let domains = try Directory.Domain.list(of: organization.id, in: transaction)
            return RosterReader.Reading(
                value: LanyardAPI.Organization(
                    id: organization.publicID, type: "EDUCATION", name: organization.name,
                    domains: domains.map { LanyardAPI.Domain(name: $0.name, isVerified: $0.isVerified) },
                    dateCreated: Timestamp(organization.createdAt), dateLastModified: Timestamp(organization.modifiedAt)
                ),
                detail: "organization")
        }
        return try .json(answer)
    }

    @Sendable private func locations(_ request: Request, context: AppContext) async throws -> Response {
        let parameters = try request.queryParameters()
        let reader = reader
        let ((locations, next), _) = try await reader.read("locations", request, context, where: Self.readsAnything) {
            admission, transaction in
            let page = try reader.pageRequest(parameters, roles: [], endpoint: "locations", access: admission.access)
            let locations = try Directory.Location.page(
                of: admission.organization, after: LocationID(rawValue: page.last), limit: page.limit + 1,
                in: transaction)
            let defaults = try LocationDefaults.find(of: admission.organization, in: transaction)
            let cut = reader.cut(
                locations, to: page, endpoint: "locations", access: admission.access, id: \.id.rawValue)
            return RosterReader.Reading(
                value: (cut.value.0.map { wire($0, defaults) }, cut.value.1), detail: cut.detail)
        }
        return try .json(Locations(locations: locations, nextPageToken: next))
    }

    @Sendable private func location(_ request: Request, context: AppContext) async throws -> Response {
        let text = try Self.id(context)
        let (location, _) = try await reader.read("locations/one", request, context, where: Self.readsAnything) {
            admission, transaction in
            guard let id = WireID.parseLocation(text),
                let location = try Directory.Location.find(id, in: admission.organization, transaction)
            else { throw RosterError.notFound }
            let defaults = try LocationDefaults.find(of: admission.organization, in: transaction)
            return RosterReader.Reading(value: wire(location, defaults), detail: "location \(id.rawValue)")
        }
        return try .json(location)
    }

    private func wire(_ location: Directory.Location, _ defaults: LocationDefaults) -> LanyardAPI.Location {
        LanyardAPI.Location(
            id: WireID.location(location.id), name: location.name, domain: location.domainName ?? defaults.domainName,
            timeZone: (location.timeZone ?? defaults.timeZone).map {
                abbreviatesTimeZones ? TimeZoneAbbreviation.of($0) : $0
            },
            dateCreated: Timestamp(location.createdAt), dateLastModified: Timestamp(location.modifiedAt))
    }

    @Sendable private static func readsAnything(_ scopes: ScopeSet) -> Bool { scopes.readsUsers || scopes.readsClasses }

    private static func id(_ context: AppContext) throws -> String {
        guard let segment = context.parameters.get("id"), let id = FormEncoding.decodePathSegment(segment) else {
            throw RosterError.notFound
        }
        return id
    }
}

extension RosterReader {
    /// Cuts a page that was read one record longer than asked for, to know whether more follows.
    fileprivate func cut<Element: Sendable>(
        _ elements: [Element], to page: PageRequest, endpoint: String, access: RosterAccess,
        id: (Element) -> Int64
    ) -> Reading<([Element], String?)> {
        let shown = Array(elements.prefix(page.limit))
        let ids = shown.map(id)
        let range = ids.first.map { "\($0)…\(ids[ids.count - 1])" } ?? "none"
        let next =
            elements.count > page.limit
            ? pageToken(after: ids[ids.count - 1], role: page.role, endpoint: endpoint, access: access) : nil
        let role = page.role.map { " role \($0.rawValue)" } ?? ""
        return Reading(value: (shown, next), detail: "\(shown.count) records, ids \(range)\(role)")
    }
}
