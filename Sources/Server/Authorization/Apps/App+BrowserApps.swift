import Directory
import Ground
import Storage

extension App {
    /// Whether any app with a public client has a return URL at an origin. The origin is spelled as browsers do.
    package static func isBrowserApp(at origin: String, in transaction: some Transaction) throws -> Bool {
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
