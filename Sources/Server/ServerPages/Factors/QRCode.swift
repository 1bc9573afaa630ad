import CQRCode

/// A picture for cameras, as the path of an SVG image. ISO/IEC 18004, as libqrencode draws it.
struct QRCode {
    /// The width and height in modules, with the quiet zone of four on each side.
    let size: Int
    /// A square for each row of dark modules.
    let path: String

    private static let quietZone = 4

    /// - Returns: nil if the text is too long for a picture.
    init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        let modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        size = width + 2 * Self.quietZone
        var path = ""
        for y in 0..<width {
            var x = 0
            while x < width {
                let start = x
                while x < width, modules[y * width + x] & 1 == 1 { x += 1 }
                if x > start {
                    path += "M\(start + Self.quietZone) \(y + Self.quietZone)h\(x - start)v1h-\(x - start)z"
                }
                x += 1
            }
        }
        self.path = path
    }
}
