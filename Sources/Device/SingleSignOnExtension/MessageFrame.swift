import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// A message preceded by its length.
enum MessageFrame {
    /// Waits for the next message; nil at the end.
    static func read(from socket: Int32) -> Data? {
        guard let head = bytes(4, from: socket) else { return nil }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard length <= ExtensionProtocol.commandBytesMax else { return nil }
        return bytes(length, from: socket)
    }

    private static func bytes(_ count: Int, from socket: Int32) -> Data? {
        var data = Data(count: count)
        var filled = 0
        while filled < count {
            let received = data.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress?.advanced(by: filled), count - filled, 0)
            }
            if received < 0, errno == EINTR { continue }
            guard received > 0 else { return nil }
            filled += received
        }
        return data
    }

    /// - Returns: whether the whole message was written.
    static func write(_ message: Data, to socket: Int32) -> Bool {
        let length = UInt32(message.count)
        var frame = Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) })
        frame.append(message)
        var sent = 0
        while sent < frame.count {
            let written = frame.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress?.advanced(by: sent), frame.count - sent, Int32(MSG_NOSIGNAL))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            sent += written
        }
        return true
    }
}
