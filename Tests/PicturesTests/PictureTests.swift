import Foundation
import TestSupport
import Testing

@testable import Pictures

/// Files that administrators and developers choose for badges, and files of those who mean harm.
@Suite struct PictureTests {
    /// Width and height as the file says them.
    private static func sides(_ png: Data) -> [UInt8] { [UInt8](png.dropFirst(16).prefix(8)) }
    private static let side: [UInt8] = [0, 0, 0, 128, 0, 0, 0, 128]

    @Test("is 128 dots wide and high, whatever the file has", arguments: [(64, 64), (128, 128), (300, 70), (64, 4000)])
    func square(width: Int, height: Int) throws {
        let picture = try Picture(file: SamplePNG(width, height).file)
        #expect(Self.sides(picture.png) == Self.side)
        #expect(picture.png.count < 66_000)
    }

    @Test(
        "is the same if it is made from itself",
        arguments: [[0x3a, 0x5a, 0xa6, 0xff], [200, 100, 7, 3], [1, 2, 3, 128]])
    func stable(colour: [UInt8]) throws {
        let picture = try Picture(file: SamplePNG(200, 150, colour: colour).file)
        #expect(try Picture(file: picture.png) == picture)
    }

    @Test("has nothing of what a file carries besides its dots")
    func bare() throws {
        var file = SamplePNG(64, 64).file
        let text: [UInt8] = Array("tEXtComment\u{0}<script>alert(1)</script>".utf8)
        // The checksum is wrong, which readers of chunks that they do not need let pass.
        file.insert(contentsOf: [0, 0, 0, UInt8(text.count - 4)] + text + [0, 0, 0, 0], at: 33)
        if let picture = try? Picture(file: file) {
            #expect(picture.png.range(of: Data("script".utf8)) == nil)
        }
        file += Data("<script>alert(1)</script>".utf8)
        if let picture = try? Picture(file: file) {
            #expect(picture.png.range(of: Data("script".utf8)) == nil)
        }
        let appended = SamplePNG(64, 64).file + Data("<script>alert(1)</script>".utf8)
        #expect(try Picture(file: appended) == Picture(file: SamplePNG(64, 64).file))
    }

    @Test("other files are refused, and the reason is said")
    func refusals() {
        func refusal(_ file: Data) -> Picture.Refusal? {
            do {
                _ = try Picture(file: file)
                return nil
            } catch { return error }
        }
        #expect(refusal(Data()) == .foreign)
        #expect(
            refusal(Data("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)) == .foreign)
        #expect(refusal(Data([0xff, 0xd8, 0xff, 0xe0]) + Data(count: 100)) == .foreign)
        #expect(refusal(SamplePNG(64, 64).file.prefix(20)) == .foreign)
        #expect(refusal(SamplePNG(64, 64).file.prefix(500)) == .damaged)
        #expect(refusal(SamplePNG(64, 64, said: 80).file) == .damaged)
        #expect(refusal(SamplePNG(63, 64).file) == .tooFewDots)
        #expect(refusal(SamplePNG(64, 64, said: 4097).file) == .tooManyDots)
        // 64 gigabytes of dots, in a file of 16 kilobytes.
        #expect(refusal(SamplePNG(64, 64, said: Int(Int32.max)).file) == .tooManyDots)
        #expect(refusal(SamplePNG(64, 64).file + Data(count: 1 << 20)) == .tooLarge)
    }

    @Test("any byte of a file can be wrong")
    func fuzz() {
        let file = [UInt8](SamplePNG(64, 64).file)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var broken = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                broken[Int.random(in: 0..<broken.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let picture = try? Picture(file: Data(broken)) else { continue }
            #expect(Self.sides(picture.png) == Self.side)
        }
    }
}
