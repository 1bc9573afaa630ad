/// Values of ASN.1 in DER, for tests that need a timestamp without an authority.
package enum DER {
    package static func value(_ tag: UInt8, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        let length: [UInt8] =
            content.count < 128
            ? [UInt8(content.count)] : [0x82, UInt8(content.count >> 8), UInt8(content.count & 255)]
        return [tag] + length + content
    }

    /// The answer of an authority, with all that is before its signature. RFC 3161 §2.4.2.
    package static func timestampReply(for digest: [UInt8], at time: String, status: UInt8 = 0) -> [UInt8] {
        let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
        let information = value(
            0x30, value(0x02, [1]), value(0x06, [0x2a, 0x03, 0x04]),
            value(0x30, value(0x30, value(0x06, sha256)), value(0x04, digest)), value(0x02, [7]),
            value(0x18, Array(time.utf8)))
        let content = value(
            0x30, value(0x06, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04]),
            value(0xa0, value(0x04, information)))
        let signed = value(0x30, value(0x02, [3]), value(0x31), content, value(0x31))
        return value(
            0x30, value(0x30, value(0x02, [status])),
            value(0x30, value(0x06, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]), value(0xa0, signed)))
    }
}
