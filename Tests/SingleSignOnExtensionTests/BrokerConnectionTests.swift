import Foundation
@testable import SingleSignOnExtension
import SingleSignOnWire
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct BrokerConnectionTests {
    /// A request as the extension gets it, and the broker's end of its socket.
    private func begin(
        headers: [HeaderField] = []
    ) throws -> (ASAuthorizationProviderExtensionAuthorizationRequest, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let request = ExtensionRequest(
            id: 7, url: "https://id.test/", operation: "login", headers: headers, body: Data(), realm: "",
            extensionData: [:],
            caller: Caller(
                bundleIdentifier: "a", teamIdentifier: "", displayName: "a", isManaged: false, processIdentifier: 1),
            options: [:], isUserInterfaceEnabled: true, isCredential: false)
        return (.init(request, connection: BrokerConnection(socket: ends[0])), ends[1])
    }

    private func report(_ socket: Int32) throws -> ExtensionReport {
        try JSONDecoder().decode(ExtensionReport.self, from: #require(MessageFrame.read(from: socket)))
    }

    @Test func `values of one header are together, however its name is written`() throws {
        let (request, _) = try begin(headers: [
            .init("WWW-Authenticate", "Negotiate"), .init("Accept", "a"), .init("www-authenticate", "Basic"),
        ])
        #expect(request.httpHeaders == ["WWW-Authenticate": "Negotiate, Basic", "Accept": "a"])
    }

    @Test func `an answer that is too large fails alone`() throws {
        let (request, broker) = try begin()
        request.complete(httpAuthorizationHeaders: ["X": String(repeating: "a", count: 1 << 20)])
        guard case .completed(7, .failed(let failure)) = try report(broker) else {
            Issue.record("it is not refused")
            return
        }
        #expect(failure.code == AuthorizationFailure.Code.invalidResponse.rawValue)
    }

    @Test(.timeLimit(.minutes(1))) func `nothing is shown for a request that is over`() async throws {
        for isCanceled in [true, false] {
            let (request, _) = try begin()
            if isCanceled { request.markCanceled() } else { request.complete() }
            let form = PresentationForm(title: "", text: "", problem: nil, fields: [], submit: "OK")
            let shown = await #expect(throws: AuthorizationFailure.self) { try await request.present(form) }
            #expect(shown?.code == AuthorizationFailure.Code.canceled.rawValue)
            await #expect(throws: AuthorizationFailure.self) { try await request.presentWebPage { $0 } }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a form that is too large is not shown`() async throws {
        let (request, _) = try begin()
        let form = PresentationForm(
            title: String(repeating: "a", count: 1 << 20), text: "", problem: nil, fields: [], submit: "OK")
        await #expect(throws: AuthorizationFailure.self) { try await request.present(form) }
    }
}
