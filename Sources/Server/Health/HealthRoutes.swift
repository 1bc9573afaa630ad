import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Storage

/// `/healthz`: the process answers. `/readyz`: it can serve, because the database answers.
struct HealthRoutes: Sendable {
    let database: any Database

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("healthz") { _, _ in Self.text("ok\n") }
        router.get("readyz") { [database] _, context in
            do {
                _ = try await database.read { try $0.exists("SELECT 1 FROM schema_step") }
                return Self.text("ready\n")
            } catch {
                context.logger.error("not ready", metadata: ["error": "\(error)"])
                return Self.text("the database does not answer\n", status: .serviceUnavailable)
            }
        }
    }

    private static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
