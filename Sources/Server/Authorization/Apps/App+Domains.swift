import Ground
import Storage

/// The hosts of an app's web pages, where its return URLs have to be. An app for which none are registered is at the hosts
/// of its return URLs.
extension App {
    /// The names of the domains of the app, in alphabetical order.
    package static func domains(of app: AppID, in transaction: some Transaction) throws -> [String] {
        try transaction.all("SELECT name FROM app_domain WHERE app_id = $1 ORDER BY name", [app]) { try $0[0] }
    }

    /// Replaces the domains.
    /// - Throws: ``AppDomain/Problem/tooMany``
    package func put(domains: [AppDomain], in transaction: WriteTransaction) throws {
        let names = Set(domains.map(\.name))
        guard names.count <= AppDomain.countMax else { throw AppDomain.Problem.tooMany }
        try transaction.execute("DELETE FROM app_domain WHERE app_id = $1", [id])
        for name in names {
            try transaction.execute("INSERT INTO app_domain (app_id, name) VALUES ($1, $2)", [id, name])
        }
    }

    /// The first return URL on the web, with its host, that is at none of the app's domains; nil if the app has no domains.
    /// Addresses on the person's own device are at no domain, and so are those on loopback of a server for development.
    package func returnURLOutsideDomains(in transaction: some Transaction) throws -> (url: String, host: String)? {
        let domains = try Self.domains(of: id, in: transaction)
        guard !domains.isEmpty else { return nil }
        for url in try Self.returnURLs(of: id, in: transaction) {
            guard let origin = WebOrigin(of: url), origin.isSecure, !domains.contains(origin.host) else { continue }
            return (url, origin.host)
        }
        return nil
    }
}
