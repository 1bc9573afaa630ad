import Fixtures
import Foundation
import NIOCore
import SeededNumbers
import Testing
@testable import HiddenMail

@Suite struct RelayProtocolTests {
    /// Everything that a decoder makes of bytes, however they are cut; nil if it refuses them.
    private func decode<Decoder: NIOSingleStepByteToMessageDecoder>(
        _ decoder: Decoder, _ bytes: [UInt8], pieces: Int = 1, bytesMax: Int = 1 << 20
    ) -> [Decoder.InboundOut]? {
        let processor = NIOSingleStepByteToMessageProcessor(decoder, maximumBufferSize: bytesMax)
        var frames: [Decoder.InboundOut] = []
        do {
            for start in stride(from: 0, to: bytes.count, by: max(1, pieces)) {
                let piece = bytes[start..<min(start + max(1, pieces), bytes.count)]
                try processor.process(buffer: ByteBuffer(bytes: piece)) { frames.append($0) }
            }
            return frames
        } catch {
            return nil
        }
    }

    @Test("netstrings are read, whole and byte by byte")
    func netstrings() {
        let decoder = NetstringDecoder(bytesMax: 100)
        for pieces in [1, 3, 1_000] {
            #expect(
                decode(decoder, Array("5:hello,0:,10:relay a@b.,".utf8), pieces: pieces) == ["hello", "", "relay a@b."])
        }
        #expect(decode(decoder, Array("5:hel".utf8)) == [])
    }

    @Test(
        "what is no netstring ends the connection",
        arguments: [
            "x", ":", "5hello,", "05:hello,", "-1:,", "5:hello;", "101:", "99999999999999999999:", "12345678",
            " 5:hello,",
        ])
    func noNetstrings(_ text: String) {
        #expect(decode(NetstringDecoder(bytesMax: 100), Array(text.utf8), pieces: 1_000) == nil)
    }

    @Test("a policy request is read, with whatever attributes")
    func policy() throws {
        let text =
            "request=smtpd_access_policy\nprotocol_state=RCPT\nsender=a=b@x.example\nrecipient=k3@r.example\nnew=\n\n"
        for pieces in [1, 7, 1_000] {
            let requests = try #require(decode(PolicyRequestDecoder(), Array((text + text).utf8), pieces: pieces))
            #expect(requests.count == 2)
            #expect(requests[0].sender == "a=b@x.example")
            #expect(requests[0].recipient == "k3@r.example")
            #expect(requests[0].state == "RCPT")
        }
    }

    @Test(
        "what is no policy request ends the connection",
        arguments: [
            "\n", "request\n\n", "=x\n\n", "sender=x\n\n", "request=junk\n\n",
            "request=smtpd_access_policy\nsender=a\nsender=b\n\n",
        ])
    func noPolicy(_ text: String) {
        #expect(decode(PolicyRequestDecoder(), Array(text.utf8), pieces: 1_000) == nil)
    }

    @Test("a policy request of many kilobytes ends the connection, complete or not")
    func hugePolicy() {
        let long = String(repeating: "x", count: 17_000)
        for text in [long, "request=smtpd_access_policy\nx=\(long)\n\n"] {
            #expect(decode(PolicyRequestDecoder(), Array(text.utf8), pieces: 1_000) == nil)
        }
    }

    @Test("milter packets are read, and only of a size that makes sense")
    func milter() throws {
        let packets = try #require(
            decode(MilterPacketDecoder(), [0, 0, 0, 1, 0x51, 0, 0, 0, 4, 0x4c, 0x61, 0, 0], pieces: 2))
        #expect(packets.map(\.command) == [0x51, 0x4c])
        #expect(try packets[1].texts == ["a", ""])
        #expect(throws: MilterPacketDecoder.Malformed.self) {
            try MilterPacket(command: 0x4c, data: ByteBuffer(string: "a\0b")).texts
        }
        #expect(decode(MilterPacketDecoder(), [0, 0, 0, 0]) == nil)
        #expect(decode(MilterPacketDecoder(), [0x7f, 0, 0, 0]) == nil)
        #expect(decode(MilterPacketDecoder(), [0, 4, 0, 1]) == nil)
    }

    @Test("no answer can be made to hold another")
    func answers() {
        func text(_ answer: MilterAnswer) -> String { String(decoding: answer.packet.readableBytesView, as: UTF8.self) }
        #expect(text(.reply("550 a\r\nb\0c")) == "\0\0\0\u{c}y550 a  b c\0")
        // Folding stays, any other line break does not.
        #expect(text(.addHeader(name: "X", value: "a\r\n b\r\nc\nd")) == "\0\0\0\u{d}hX\0a\n b  c d\0")
    }

    @Test("random bytes are refused or read to the end, for two seconds")
    func fuzz() {
        var generator = SeededGenerator(seed: 6)
        let seeds =
            [
                Array("5:hello,".utf8), Array("request=smtpd_access_policy\nsender=a\n\n".utf8),
                [0, 0, 0, 13, 0x4f, 0, 0, 0, 6, 0, 0, 1, 0xff, 0, 0x1f, 0xff, 0xff], [0, 0, 0, 4, 0x4c, 0x61, 0, 0],
            ] as [[UInt8]]
        let end = ContinuousClock.now + .seconds(2)
        var rounds = 0
        while ContinuousClock.now < end {
            var bytes = (0..<Int.random(in: 1...5, using: &generator)).flatMap { _ in
                seeds.randomElement(using: &generator)!
            }
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: bytes[index] = .random(in: 0...255, using: &generator)
                case 1: bytes.insert(.random(in: 0...255, using: &generator), at: index)
                default: if bytes.count > 1 { bytes.remove(at: index) }
                }
            }
            let pieces = Int.random(in: 1...20, using: &generator)
            // However the bytes are cut, the same comes out.
            #expect(
                decode(NetstringDecoder(bytesMax: 64), bytes, pieces: pieces)
                    == decode(NetstringDecoder(bytesMax: 64), bytes, pieces: 1))
            #expect(
                decode(PolicyRequestDecoder(), bytes, pieces: pieces)
                    == decode(PolicyRequestDecoder(), bytes, pieces: 1))
            let packets = decode(MilterPacketDecoder(), bytes, pieces: pieces)
            #expect(packets == decode(MilterPacketDecoder(), bytes, pieces: 1))
            for packet in packets ?? [] { _ = try? packet.texts }
            rounds += 1
        }
        #expect(rounds > 100)
    }

    @Test(
        "only this machine can be listened on",
        arguments: [
            "0.0.0.0:9031", "192.0.2.1:9031", "id.maple.example:9031", "9031", ":9031", "127.0.0.1", "127.0.0.1:x",
            "127.0.0.1:70000", "socket", "/" + String(repeating: "x", count: 110),
        ])
    func addresses(_ text: String) {
        #expect(throws: ListenAddress.Problem.self) { try ListenAddress(text) }
    }

    @Test("a port or a socket of this machine is one")
    func goodAddresses() throws {
        #expect(try ListenAddress("127.0.0.1:9031") == .tcp(host: "127.0.0.1", port: 9_031))
        #expect(try ListenAddress("[::1]:9031") == .tcp(host: "::1", port: 9_031))
        #expect(try ListenAddress("/run/lanyard/policy") == .unix(path: "/run/lanyard/policy"))
    }
}
