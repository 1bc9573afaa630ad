import Administration
import AdministrationExamples
import Directory

extension Scene {
    /// Has an Administrator close the organization by a request, which does not wait until all apps are told.
    func closeByRequest() async throws {
        let head = try await holder(of: .administrator, at: nil)
        let administrator = Administrator(
            .person(head.id), from: .request("r-1", address: "192.0.2.1"), database: database, services: services)
        let version = try await administrator.preview(CloseOrganization()).version
        _ = try await administrator.perform(CloseOrganization(), in: .only, ifVersion: version)
    }
}
