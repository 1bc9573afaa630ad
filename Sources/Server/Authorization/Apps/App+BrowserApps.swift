import Directory
import Ground
import Storage

extension App {
    /// Whether any app with a public client has web pages at an origin: a return URL there, or its host as a domain. The
    /// origin is spelled as browsers do.
    package static func isBrowserApp(at origin: String, in transaction: some Transaction) throws -> Bool {
        if let page = WebOrigin(of: origin), page.isSecure, page.description.isExactly(origin),
            try transaction.exists(
                """
                SELECT 1 FROM app_domain
                JOIN app ON app.id = app_domain.app_id
                JOIN client ON client.app_id = app.id
                WHERE app_domain.name = $1
                    AND app.removed_at IS NULL AND client.removed_at IS NULL AND client.is_public = 1
                """, [page.host])
        {
            return true
        }
        let urls = try transaction.all(
            """
            SELECT DISTINCT return_url.url FROM return_url
            JOIN app ON app.id = return_url.app_id
            JOIN client ON client.app_id = app.id
            WHERE app.removed_at IS NULL AND client.removed_at IS NULL AND client.is_public = 1
            """
        ) { try $0[0] as String }
        return urls.contains { AppAddress.origin(of: $0)?.isExactly(origin) ?? false }
    }
}
