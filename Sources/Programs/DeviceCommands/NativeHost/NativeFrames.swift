import CommandOutput
import Ground
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// A frame of native messaging: a length of 32 bits in the machine's byte order, followed by JSON of that many bytes.
///
/// docs/specifications/extensible-single-sign-on.md, 20.3.
enum NativeFrame: Equatable {
    case message([UInt8])
    /// The frame was too long, and was read and discarded.
    case tooLong(bytes: Int)

    /// The maximum length of a frame from the browser. A submitted sign-in form is far smaller.
    static let inputBytesMax = 1 << 20
    /// The maximum length of a frame to the browser, which closes the connection if it gets a longer one.
    static let outputBytesMax = 1 << 20
}

enum NativeInput {
    /// The frames that arrive. The stream ends at the end of the input or at an invalid length.
    static func frames(of descriptor: Int32) -> AsyncStream<NativeFrame> {
        AsyncStream { continuation in
            // Reading blocks, so it needs a thread of its own.
            BlockingThread.start {
                while let frame = next(descriptor) { continuation.yield(frame) }
                continuation.finish()
            }
        }
    }

    private static func next(_ descriptor: Int32) -> NativeFrame? {
        guard let head = read(4, from: descriptor) else { return nil }
        let length = Int(head.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
        if length <= NativeFrame.inputBytesMax { return read(length, from: descriptor).map(NativeFrame.message) }
        // The maximum that Chromium sends. A larger number is not a length; the input is then not from a browser.
        guard length <= 64 << 20 else { return nil }
        var left = length
        while left > 0 {
            let piece = min(left, 1 << 16)
            guard read(piece, from: descriptor) != nil else { return nil }
            left -= piece
        }
        return .tooLong(bytes: length)
    }

    private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress! + filled, count - filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            filled += got
        }
        return bytes
    }
}

/// Writes frames to the browser, one at a time.
final class NativeOutput: Sendable {
    private let descriptor: Int32
    private let turn = Mutex(())

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Takes over the standard output, which must carry only frames: anything else that is written to it goes to the
    /// standard error from now on.
    static func takingStandardOutput() throws -> NativeOutput {
        let own = dup(STDOUT_FILENO)
        guard own >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
            throw Failure("Standard output or standard error is closed. A browser starts this program.")
        }
        return NativeOutput(descriptor: own)
    }

    /// Errors are ignored: a browser that has stopped reading is exiting, and the end of the input follows.
    func write(_ message: Data) {
        let length = withUnsafeBytes(of: UInt32(message.count)) { Array($0) }
        turn.withLock { _ in
            var rest = (length + message)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
