import CPango
import Foundation

/// A small square picture, such as the icon of an app, made from a file that somebody chose.
///
/// The file is decoded and drawn anew, so that what is given out is a PNG file of our own making: without a script, a place
/// where a photograph was taken, or anything else that a file can carry besides its dots.
package struct Picture: Equatable, Sendable {
    /// Width and height, in dots. A page shows at most 64, on screens with two dots for each.
    package static let side = 128
    /// How large a file may be, in bytes.
    package static let fileBytesMax = 1 << 20
    /// The least and the greatest width and height of a file's picture, in dots. A greater one would take memory for what
    /// nobody sees.
    package static let sidesOfFiles = 64...4096

    /// A PNG file (ISO/IEC 15948) with ``side`` × ``side`` dots. The same dots always are the same bytes.
    package let png: Data

    /// Why a file was not taken. Each completes the sentence "The picture …".
    package enum Refusal: String, Error, CaseIterable, Sendable {
        case tooLarge = "is larger than 1 MB. Save it with fewer dots"
        case foreign = "is not a PNG file. Open it in a program for pictures, and save it as PNG"
        case damaged = "cannot be read: the file is damaged"
        case tooFewDots = "has less than 64 dots on a side, and would be blurred"
        case tooManyDots = "has more than 4096 dots on a side. Make it smaller"
    }

    /// Draws the picture of a file in the middle of a white square. Many pictures are dark on nothing, and would not be seen
    /// on a dark page.
    package init(file: Data) throws(Refusal) {
        guard file.count <= Self.fileBytesMax else { throw .tooLarge }
        // Before anything is decoded: a small file can say that it has more dots than fit into memory.
        guard let (width, height) = Self.sides(file) else { throw .foreign }
        guard min(width, height) >= Self.sidesOfFiles.lowerBound else { throw .tooFewDots }
        guard max(width, height) <= Self.sidesOfFiles.upperBound else { throw .tooManyDots }
        let source = try Surface(png: file)
        guard let drawn = Surface(side: Self.side) else { throw .damaged }
        drawn.draw(source)
        guard let png = drawn.png else { throw .damaged }
        self.png = png
    }

    /// Width and height as a PNG file says them in its first chunk. ISO/IEC 15948 §5.2, §11.2.2.
    private static func sides(_ file: Data) -> (Int, Int)? {
        let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        let bytes = [UInt8](file.prefix(24))
        guard bytes.count == 24, bytes.starts(with: signature), bytes[12..<16].elementsEqual("IHDR".utf8) else {
            return nil
        }
        func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(at: 16), number(at: 20))
    }
}

/// Dots in memory, as Cairo draws them.
private final class Surface {
    private let surface: OpaquePointer

    private var side: Double { Double(max(width, height)) }
    private var width: Int { Int(cairo_image_surface_get_width(surface)) }
    private var height: Int { Int(cairo_image_surface_get_height(surface)) }

    init?(side: Int) {
        surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(side), Int32(side))
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else { return nil }
    }

    init(png: Data) throws(Picture.Refusal) {
        let input = Input(png)
        surface = withExtendedLifetime(input) {
            cairo_image_surface_create_from_png_stream(
                { context, bytes, count in
                    guard let context, let bytes else { return CAIRO_STATUS_READ_ERROR }
                    return Unmanaged<Input>.fromOpaque(context).takeUnretainedValue().copy(Int(count), to: bytes)
                        ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_READ_ERROR
                }, Unmanaged.passUnretained(input).toOpaque())
        }
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else { throw .damaged }
    }

    deinit { cairo_surface_destroy(surface) }

    /// Draws another picture as large as it fits, in the middle.
    func draw(_ other: Surface) {
        let scale = side / other.side
        let cairo = cairo_create(surface)
        defer { cairo_destroy(cairo) }
        cairo_set_source_rgb(cairo, 1, 1, 1)
        cairo_paint(cairo)
        cairo_translate(cairo, (side - Double(other.width) * scale) / 2, (side - Double(other.height) * scale) / 2)
        cairo_scale(cairo, scale, scale)
        cairo_set_source_surface(cairo, other.surface, 0, 0)
        cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_BEST)
        cairo_paint(cairo)
        cairo_surface_flush(surface)
    }

    /// Nil if memory is short.
    var png: Data? {
        let output = Output()
        let status = withExtendedLifetime(output) {
            cairo_surface_write_to_png_stream(
                surface,
                { context, bytes, count in
                    guard let context, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                    Unmanaged<Output>.fromOpaque(context).takeUnretainedValue().bytes.append(bytes, count: Int(count))
                    return CAIRO_STATUS_SUCCESS
                }, Unmanaged.passUnretained(output).toOpaque())
        }
        return status == CAIRO_STATUS_SUCCESS ? output.bytes : nil
    }

    private final class Output { var bytes = Data() }

    private final class Input {
        private var rest: Data

        init(_ data: Data) { rest = data }

        /// Whether that many bytes were left.
        func copy(_ count: Int, to bytes: UnsafeMutablePointer<UInt8>) -> Bool {
            guard rest.count >= count else { return false }
            rest.copyBytes(to: bytes, count: count)
            rest = rest.dropFirst(count)
            return true
        }
    }
}
