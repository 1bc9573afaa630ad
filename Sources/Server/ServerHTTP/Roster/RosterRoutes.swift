import Authorization
import Directory
import Ground
import HTTPTypes
import Hummingbird
import LanyardAPI

/// `GET /rosterapi/v1/…`: the people and classes of the organization that the token stands for.
struct RosterRoutes: Sendable {
    let roster: RosterService
    let abbreviatesTimeZones: Bool

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("rosterapi/v1/users", use: users)
        router.get("rosterapi/v1/users/{id}", use: user)
        router.get("rosterapi/v1/classes", use: classes)
        router.get("rosterapi/v1/classes/{id}", use: rosterClass)
        router.get("rosterapi/v1/classes/{id}/users", use: usersOfClass)
        router.get("rosterapi/v1/organization", use: organization)
        router.get("rosterapi/v1/locations", use: locations)
        router.get("rosterapi/v1/locations/{id}", use: location)
    }

    // MARK: Users

    @Sendable private func users(_ request: Request, context: AppContext) async throws -> Response {
        let reading = try await page(of: .users, request, context)
        return .json(bytes: RosterJSON(reading).users(reading.value))
    }

    @Sendable private func user(_ request: Request, context: AppContext) async throws -> Response {
        let reading = try await record(.user(try Self.id(context)), request, context)
        return .json(bytes: RosterJSON(reading).user(reading.value))
    }

    @Sendable private func usersOfClass(_ request: Request, context: AppContext) async throws -> Response {
        let reading = try await page(
            of: .users(ofClass: WireID.parseClass(try Self.id(context))), request, context)
        return .json(bytes: RosterJSON(reading).users(reading.value))
    }

    // MARK: Classes

    @Sendable private func classes(_ request: Request, context: AppContext) async throws -> Response {
        let reading = try await page(of: .classes, request, context)
        return .json(bytes: RosterJSON(reading).classes(reading.value))
    }

    @Sendable private func rosterClass(_ request: Request, context: AppContext) async throws -> Response {
        let reading = try await record(.class(WireID.parseClass(try Self.id(context))), request, context)
        return .json(bytes: RosterJSON(reading).class(reading.value))
    }

    // MARK: Organization and locations

    @Sendable private func organization(_ request: Request, context: AppContext) async throws -> Response {
        try .json(wire(try await record(.organization, request, context).value))
    }

    @Sendable private func locations(_ request: Request, context: AppContext) async throws -> Response {
        let page = try await page(of: .locations, request, context).value
        return try .json(Locations(locations: page.records.map(wire), nextPageToken: page.next))
    }

    @Sendable private func location(_ request: Request, context: AppContext) async throws -> Response {
        let id = WireID.parseLocation(try Self.id(context))
        return try .json(wire(try await record(.location(id), request, context).value))
    }

    private func wire(_ value: RosterOrganization) -> LanyardAPI.Organization {
        let organization = value.organization
        return LanyardAPI.Organization(
            id: organization.publicID, type: "EDUCATION", name: organization.name,
            domains: value.domains.map { LanyardAPI.Domain(name: $0.name, isVerified: $0.isVerified) },
            dateCreated: Timestamp(organization.createdAt), dateLastModified: Timestamp(organization.modifiedAt))
    }

    private func wire(_ location: RosterLocation) -> LanyardAPI.Location {
        LanyardAPI.Location(
            id: WireID.location(location.id), name: location.name, domain: location.domainName,
            timeZone: location.timeZone.map { abbreviatesTimeZones ? TimeZoneAbbreviation.of($0) : $0 },
            dateCreated: Timestamp(location.createdAt), dateLastModified: Timestamp(location.modifiedAt))
    }

    // MARK: Calls of the service

    /// - Parameter list: evaluated after the query was read, because errors in the query come first.
    private func page<Record: Sendable>(
        of list: @autoclosure () throws -> RosterList<Record>, _ request: Request, _ context: AppContext
    ) async throws -> RosterReading<RosterPage<Record>> {
        let parameters = try request.queryParameters()
        return try await roster.page(
            of: try list(), parameters, bearerToken: try request.requireBearerToken(), from: .request(context))
    }

    private func record<Value: Sendable>(
        _ record: RosterRecord<Value>, _ request: Request, _ context: AppContext
    ) async throws -> RosterReading<Value> {
        try await roster.record(record, bearerToken: try request.requireBearerToken(), from: .request(context))
    }

    private static func id(_ context: AppContext) throws -> String {
        guard let segment = context.parameters.get("id"), let id = FormEncoding.decodePathSegment(segment) else {
            throw RosterError.notFound
        }
        return id
    }
}
