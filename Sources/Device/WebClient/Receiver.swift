import CCurl
import Ground
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

package enum CurlLibrary {
    /// Starts libcurl. `curl_global_init` must not run on several threads at once; Swift initializes a static constant exactly once.
    package static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// What the server has shown of itself, in DER, where `CURLOPT_CERTINFO` was set.
    static func certificate(of handle: UnsafeMutableRawPointer) -> Data? {
        guard let pem = lanyard_curl_certificate(handle) else { return nil }
        let lines = String(cString: pem).split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        return Data(base64Encoded: lines.joined())
    }
}

/// Collects what libcurl receives.
package final class Receiver {
    package private(set) var headers: [HeaderField] = []
    package private(set) var content = Data()
    /// Whether the body was longer than it may be; the content is then cut off, and the transfer has failed.
    package private(set) var isTooLarge = false
    private let bytesMax: Int

    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    package static let body: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
        let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
        let room = receiver.bytesMax - receiver.content.count
        receiver.content.append(contentsOf: part.prefix(room))
        guard part.count <= room else {
            receiver.isTooLarge = true
            return 0
        }
        return part.count
    }

    package static let head: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
        let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
        // Several answers may arrive, such as a proxy's first: the headers of the last one count.
        if line.hasPrefix("HTTP/") { receiver.headers = [] }
        let halves = line.split(separator: ":", maxSplits: 1)
        if halves.count == 2, receiver.headers.count < 200 {
            receiver.headers.append(HeaderField(halves[0].trimmingWhitespace, halves[1].trimmingWhitespace))
        }
        return size * count
    }
}
