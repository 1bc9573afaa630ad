import Hummingbird
import NIOCore
import NIOPosix

/// What the broker would be on Hummingbird: a server on a Unix socket that reads the same request, and answers that
/// nothing is to be done. It looks into no profile and asks for no caller. `make bench` starts it beside the broker.
///
/// Usage: hummingbird-benchmark SOCKET
@main
struct HummingbirdBenchmark {
    struct Question: Decodable {
        let url: String
        let presentation: String
    }

    struct Answer: ResponseEncodable {
        let outcome: String
    }

    static func main() async throws {
        let router = Router()
        router.post("/v1/requests") { request, context in
            let question = try await request.decode(as: Question.self, context: context)
            return Answer(outcome: question.url.isEmpty ? "failure" : "unhandled")
        }
        // One thread, as in the broker.
        let application = Application(
            router: router, configuration: .init(address: .unixDomainSocket(path: CommandLine.arguments[1])),
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)))
        try await application.runService()
    }
}
