import Foundation
import Ground
import NIOHTTP1
import NIOSSL
import TestCertificates
import Testing
import WebClient

/// Against a web server, since any protocol will do.
@Suite struct TLSStreamTests {
    private let authority: TestAuthority
    private let threads = BlockingQueue(width: 2)

    init() throws { authority = try TestAuthority() }

    @Test("bytes come and go, and the server's certificate is known")
    func talks() async throws {
        let certificate = try authority.certificate(for: "dc1.acme.test", by: authority.root)
        let (server, root) = (
            try await TestDomain(certificate, .answer(.ok, [], Data("hello".utf8))), authority.root.path
        )
        let (text, shown) = try await threads.run {
            let stream = try TLSStream(
                host: "dc1.acme.test", port: UInt16(server.port), address: "127.0.0.1", authorities: root,
                within: .seconds(10))
            var request = Array("GET / HTTP/1.1\r\nHost: dc1.acme.test\r\nConnection: close\r\n\r\n".utf8)[...]
            while !request.isEmpty { request = request.dropFirst(try stream.send(request, within: .seconds(10))) }
            var received: [UInt8] = []
            while !received.suffix(5).elementsEqual("hello".utf8) {
                // Fewer at a time than TLS brings in one record.
                let more = try stream.receive(atMost: 7, within: .seconds(10))
                guard !more.isEmpty else { break }
                received += more
            }
            return (String(decoding: received, as: UTF8.self), stream.certificate)
        }
        #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix("hello"), "\(text)")
        let file = try #require(try NIOSSLCertificate.fromPEMFile(certificate.path).first)
        #expect(shown.map(Array.init) == (try file.toDERBytes()))
        try await server.stop()
    }

    @Test("a certificate of another name, of an unknown authority, or from before TLS 1.2 leads to nobody")
    func refuses() async throws {
        let right = try authority.certificate(for: "dc1.acme.test", by: authority.root)
        let other = try authority.certificate(for: "dc2.acme.test", by: authority.root)
        for (certificate, authorities, highest, reason) in [
            (other, authority.root.path, nil, "its certificate is made for another name"),
            (right, nil, nil, "its certificate is not valid today, or not made by an authority that this device knows"),
            (right, authority.root.path, TLSVersion.tlsv11, "there is no TLS with it"),
        ] as [(TestCertificates.Certificate, String?, TLSVersion?, String)] {
            let server = try await TestDomain(certificate, .silence, highestTLS: highest)
            let said = try await threads.run {
                do {
                    _ = try TLSStream(
                        host: "dc1.acme.test", port: UInt16(server.port), address: "127.0.0.1",
                        authorities: authorities, within: .seconds(10))
                    return "nothing"
                } catch let failure as HTTPFailure {
                    return failure.reason
                }
            }
            #expect(said == reason)
            try await server.stop()
        }
    }

    @Test("of a server that hangs up nothing more comes")
    func hangsUp() async throws {
        let certificate = try authority.certificate(for: "dc1.acme.test", by: authority.root)
        let (server, root) = (try await TestDomain(certificate, .hangUp), authority.root.path)
        let received = try await threads.run {
            let stream = try TLSStream(
                host: "dc1.acme.test", port: UInt16(server.port), address: "127.0.0.1", authorities: root,
                within: .seconds(10))
            _ = try stream.send(Array("GET / HTTP/1.1\r\nHost: dc1.acme.test\r\n\r\n".utf8)[...], within: .seconds(10))
            return try stream.receive(atMost: 10, within: .seconds(10))
        }
        #expect(received == [])
        try await server.stop()
    }

    @Test("a server that says nothing is not waited for longer than was said")
    func silent() async throws {
        let certificate = try authority.certificate(for: "dc1.acme.test", by: authority.root)
        let (server, root) = (try await TestDomain(certificate, .silence), authority.root.path)
        await #expect {
            try await threads.run {
                let stream = try TLSStream(
                    host: "dc1.acme.test", port: UInt16(server.port), address: "127.0.0.1", authorities: root,
                    within: .seconds(10))
                return try stream.receive(atMost: 10, within: .milliseconds(200))
            }
        } throws: {
            ($0 as? HTTPFailure)?.reason == "it takes too long"
        }
        try await server.stop()
    }
}
