import Hummingbird
import NIOCore

extension Request {
    /// What the service posts, or its page: never as much as 64 KiB.
    /// - Throws: 413 if it is more.
    func smallBody() async throws -> ByteBuffer {
        do {
            return try await body.collect(upTo: 64 << 10)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge, message: "This is more than the service sends.")
        }
    }
}
