import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// `/healthz`: whether the process answers. `/readyz`: whether it can serve, because the database accepts a write.
struct HealthRoutes: Sendable {
    let readiness: Readiness

    func mount(on router: some RouterMethods<AppContext>, _ standing: inout StandingAnswers) {
        let alive = StandingAnswer([.contentType: Self.contentType], body: ByteBuffer(string: "ok\n"))
        standing.serve("/healthz", on: router) { _ in alive }
        router.get("readyz") { [readiness] _, context in
            do {
                try await readiness.check()
                return Self.text("ready\n")
            } catch {
                context.logger.error("not ready", metadata: ["error": "\(error)"])
                return Self.text("the database takes no writes\n", status: .serviceUnavailable)
            }
        }
    }

    private static let contentType = "text/plain; charset=utf-8"

    private static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
