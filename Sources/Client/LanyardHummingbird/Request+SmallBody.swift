import Hummingbird
import NIOCore

extension Request {
    /// The body of a request by the service or its page, which has less than 64 KiB.
    /// - Throws: status 413 if it has more.
    func smallBody() async throws -> ByteBuffer {
        do {
            return try await body.collect(upTo: 64 << 10)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge, message: "This is more than the service sends.")
        }
    }
}
