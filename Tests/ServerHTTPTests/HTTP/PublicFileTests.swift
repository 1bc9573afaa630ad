import Foundation
import HTTPTypes
import NIOCore
import Testing
@testable import ServerHTTP
@testable import TestServers

@Suite struct PublicFileTests {
    private let bytes = Array(String(repeating: "body { color: teal }\n", count: 200).utf8)

    private func ask(
        _ file: PublicFile, accepting coding: String?, knowing tag: String? = nil
    ) -> StandingAnswer {
        var asked = HTTPFields()
        if let coding { asked[.acceptEncoding] = coding }
        if let tag { asked[.ifNoneMatch] = tag }
        return file.answer(to: asked)
    }

    @Test("whoever takes gzip gets the same file compressed, under another tag")
    func compressed() throws {
        let file = PublicFile(bytes, contentType: "text/css")
        let plain = ask(file, accepting: nil)
        #expect(Array(buffer: plain.body) == bytes)
        #expect(plain.fields[.contentEncoding] == nil && plain.fields[.vary] == "Accept-Encoding")
        let compressed = ask(file, accepting: "gzip, deflate, br, zstd")
        #expect(compressed.fields[.contentEncoding] == "gzip" && compressed.fields[.vary] == "Accept-Encoding")
        #expect(compressed.fields[.contentLength] == String(compressed.body.readableBytes))
        #expect(compressed.body.readableBytes * 5 < bytes.count)
        #expect(try uncompressed(compressed.body) == Data(bytes))
        #expect(compressed.fields[.eTag] != plain.fields[.eTag])
        #expect(ask(PublicFile(bytes, contentType: "text/css"), accepting: "gzip").body == compressed.body, "no time")

        for (answer, coding) in [(plain, "identity"), (compressed, "gzip")] {
            let tag = try #require(answer.fields[.eTag])
            let known = ask(file, accepting: coding, knowing: tag)
            #expect(known.status == .notModified && known.body.readableBytes == 0 && known.fields[.eTag] == tag)
            // What a cache has in one coding says nothing of the other.
            #expect(ask(file, accepting: coding == "gzip" ? nil : "gzip", knowing: tag).status == .ok)
        }
    }

    @Test(
        "a client has the file if a list of tags has its tag, RFC 9110 §13.1.2",
        arguments: [
            ("TAG", true), ("W/TAG", true), ("*", true), (#""a", TAG"#, true), (#""a","b",W/TAG"#, true),
            (#",, "a" ,\#tTAG ,"#, true), (#""a,b", TAG"#, true), (#""", TAG"#, true),
            ("", false), (#""a""#, false), ("\"", false), ("W/", false), (#"w/TAG"#, false), (#"a, TAG"#, false),
            (#""a, TAG"#, false), (#"TAGx"#, true), (#"xTAG"#, false),
        ])
    func tags(list: String, isKnown: Bool) throws {
        let file = PublicFile(bytes, contentType: "text/css")
        let tag = try #require(ask(file, accepting: nil).fields[.eTag])
        let answer = ask(file, accepting: nil, knowing: list.replacing("TAG", with: tag))
        #expect((answer.status == .notModified) == isKnown, "\(list)")
    }

    @Test(
        "what a client takes is what it says, RFC 9110 §12.5.3",
        arguments: [
            ("gzip", true), ("x-gzip", true), ("GZIP;q=0.5", true), ("br, *", true), ("deflate,gzip ; q=1", true),
            ("br;q=1.0, gzip;q=0.8, *;q=0.1", true), ("", false), ("identity", false), ("br", false),
            ("gzip;q=0", false), ("gzip; Q=0.000", false), ("*;q=0", false), ("gzip;q=0, *", false), ("gzipped", false),
        ])
    func accepted(coding: String, isTaken: Bool) {
        let answer = ask(PublicFile(bytes, contentType: "text/css"), accepting: coding)
        #expect((answer.fields[.contentEncoding] == "gzip") == isTaken)
    }

    @Test("what is small, or gets no shorter, is sent as it is")
    func incompressible() {
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for bytes in [Array(bytes.prefix(999)), noise, []] {
            let answer = ask(PublicFile(bytes, contentType: "text/css"), accepting: "gzip")
            #expect(answer.fields[.contentEncoding] == nil && answer.fields[.vary] == nil)
            #expect(Array(buffer: answer.body) == bytes)
        }
    }

    /// By Debian's `gzip`.
    private func uncompressed(_ body: ByteBuffer) throws -> Data {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/gzip")
        process.arguments = ["-dc"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // It fits a pipe.
        input.fileHandleForWriting.write(Data(body.readableBytesView))
        try input.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return data
    }
}
