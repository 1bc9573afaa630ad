import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct HTTPTypesCodecTests {
    private func read(_ head: HTTPRequestHead, through codec: some ChannelHandler) throws -> String {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(codec)
        do {
            try channel.writeInbound(HTTPServerRequestPart.head(head))
        } catch {
            return "\(error)"
        }
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "a")))
        try channel.writeInbound(HTTPServerRequestPart.end(["T": "1"]))
        var parts: [HTTPRequestPart] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        return "\(parts)"
    }

    @Test("requests become the same as with the library's codec, whatever their target")
    func requests() throws {
        let headers: HTTPHeaders = ["Host": "a.example", "Cookie": "a=b; c=d", "X-Y": "1", "x-y": "2", "host": "b"]
        for target in [
            "/", "/a?b=c", "/a:b", "//a/b", "/http://a/b?c", "/%zz", "/é", "http://a.example/b?c", "http://a.example",
            "http://a.example?b", "*", "a", "", "a:b",
        ] {
            for method in [HTTPMethod.GET, .HEAD, .POST, .OPTIONS, .RAW(value: "BREW"), .RAW(value: "B W")] {
                let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)
                let ours = try read(head, through: HTTPTypesCodec())
                #expect(ours == (try read(head, through: HTTP1ToHTTPServerCodec(secure: false))), "\(target)")
            }
        }
    }
}
