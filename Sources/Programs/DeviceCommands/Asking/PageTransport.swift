import Ground
import SingleSignOnClient
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Loads the pages of one command with libcurl, which devices have installed anyway. A page is cut off where it becomes
/// too large to be read by anybody.
struct PageTransport: SingleSignOnTransport {
    enum Problem: Error, CustomStringConvertible {
        case noURL
        case tooManyRedirections
        case timeIsOver

        var description: String {
            switch self {
            case .noURL: "this is no URL of the web"
            case .tooManyRedirections: "it redirects without an end"
            case .timeIsOver: "it took too long"
            }
        }
    }

    struct Request: SingleSignOnRequest {
        var url: String
        var verb = "GET"
        var headerFields: [HeaderField] = []
        private(set) var body: String?
        let canBeSentAgain = true

        init(_ url: String) { self.url = url }

        mutating func setBody(_ text: String?) { body = text }
    }

    struct Response: SingleSignOnResponse {
        let statusCode: Int
        let headerFields: [HeaderField]
        var serverCertificate: Data?

        /// The whole answer has been read.
        func drain() {}
    }

    static var redirectLimitReached: any Error { Problem.tooManyRedirections }

    private let client = HTTPClient(now: Surroundings.system.now)

    func send(_ request: Request, in call: SingleSignOnCall) async throws -> Response {
        guard let url = URL(string: request.url), WebOrigin(of: url) != nil else { throw Problem.noURL }
        guard call.timeLeft > .zero else { throw Problem.timeIsOver }
        return try await send(request, to: url, within: call.timeLeft)
    }

    /// - Throws: `HTTPFailure`.
    func send(_ request: Request, to url: URL, within time: Duration) async throws -> Response {
        var message = HTTPRequest(url)
        message.headers = request.headerFields
        message.body = request.body.map { Data($0.utf8) }
        message.timeLimit = time
        message.bytesMax = 64 << 10
        message.isCutOff = true
        message.wantsCertificate = true
        let reply = try await client.send(message)
        return Response(
            statusCode: reply.status, headerFields: reply.headers, serverCertificate: reply.certificate)
    }

    func response(_ response: WebResponse, to request: Request) -> Response {
        Response(statusCode: response.status, headerFields: response.headers)
    }
}
