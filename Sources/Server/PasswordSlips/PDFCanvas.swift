import CPango
import Foundation

/// Pages of a PDF document, on which text of every script is set by Pango with fonts of the system.
final class PDFCanvas {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Colour: Equatable, Sendable {
        let red: Double
        let green: Double
        let blue: Double

        /// - Parameter code: as in a style sheet without its number sign, for example 0xa33f2c.
        init(_ code: UInt32) {
            (red, green, blue) = (
                Double(code >> 16 & 0xff) / 255, Double(code >> 8 & 0xff) / 255, Double(code & 0xff) / 255
            )
        }
    }

    enum Face: Hashable {
        case plain, bold
        /// A font whose letters have equal widths, and which draws 0 and O, 1, l and I so that nobody confuses them.
        case code, boldCode
    }

    private final class Output { var bytes = Data() }

    private let output = Output()
    private let surface: OpaquePointer
    private let cairo: OpaquePointer
    private let layout: OpaquePointer
    private let language: String
    private var fonts: [Face: OpaquePointer] = [:]

    /// - Parameters:
    ///   - language: a tag such as `ja`, which decides between the shapes that characters have in several languages.
    ///     A name that can only be Japanese or Korean is set as such everywhere.
    ///   - date: when the document was made, as it says itself.
    init(width: Double, height: Double, language: String, title: String, date: Date) throws {
        let context = Unmanaged.passUnretained(output).toOpaque()
        surface = cairo_pdf_surface_create_for_stream(
            { context, bytes, count in
                guard let context, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                Unmanaged<Output>.fromOpaque(context).takeUnretainedValue().bytes.append(bytes, count: Int(count))
                return CAIRO_STATUS_SUCCESS
            }, context, width, height)
        cairo = cairo_create(surface)
        layout = pango_cairo_create_layout(cairo)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
        // Otherwise the same slips would be other bytes each second.
        cairo_pdf_surface_set_metadata(
            surface, CAIRO_PDF_METADATA_CREATE_DATE, date.ISO8601Format(.iso8601(timeZone: .gmt)))
        self.language = language
        let pango = pango_layout_get_context(layout)
        // Paper has no pixels to which letters would have to be moved.
        pango_context_set_round_glyph_positions(pango, 0)
        let options = cairo_font_options_create()
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(pango, options)
        cairo_font_options_destroy(options)
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        // A hyphen at the end of a line would be taken for a part of the user name.
        let attributes = pango_attr_list_new()
        pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
        pango_layout_set_attributes(layout, attributes)
        pango_attr_list_unref(attributes)
        for (face, description) in Self.descriptions {
            fonts[face] = pango_font_description_from_string(description)
        }
    }

    private static let descriptions: [Face: String] = [
        .plain: "Noto Sans, DejaVu Sans, sans-serif", .bold: "Noto Sans, DejaVu Sans, sans-serif Bold",
        .code: "DejaVu Sans Mono, monospace", .boldCode: "DejaVu Sans Mono, monospace Bold",
    ]

    deinit {
        for font in fonts.values { pango_font_description_free(font) }
        g_object_unref(UnsafeMutableRawPointer(layout))
        cairo_destroy(cairo)
        cairo_surface_finish(surface)
        cairo_surface_destroy(surface)
    }

    // MARK: Text

    /// A text with the size at which it fits into its place.
    struct Fitted {
        fileprivate let text: String
        fileprivate let face: Face
        fileprivate let size: Double
        fileprivate let width: Double
        let height: Double
        /// Whether the fonts of the system have all of its characters.
        let isComplete: Bool
    }

    /// Finds the size at which a text fits: at most the given one, and smaller until nothing of it is cut off.
    /// - Parameter oneLineMin: the size down to which it is rather made smaller than broken into lines.
    func fit(
        _ text: String, _ face: Face, size: Double, width: Double, height heightMax: Double, oneLineMin: Double? = nil
    ) -> Fitted {
        var size = size
        prepare(text, face, size, width: width)
        func shrink() {
            size *= 0.95
            setSize(face, size)
        }
        if let oneLineMin {
            let start = size
            while pango_layout_get_line_count(layout) > 1, size > oneLineMin { shrink() }
            if pango_layout_get_line_count(layout) > 1 {
                size = start
                setSize(face, size)
            }
        }
        while height > heightMax, size > Self.sizeMin { shrink() }
        return Fitted(
            text: text, face: face, size: size, width: width, height: height,
            isComplete: pango_layout_get_unknown_glyphs_count(layout) == 0)
    }

    func show(_ fitted: Fitted, x: Double, y: Double, _ colour: Colour) {
        prepare(fitted.text, fitted.face, fitted.size, width: fitted.width)
        cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue)
        cairo_move_to(cairo, x, y)
        pango_cairo_show_layout(cairo, layout)
    }

    private static let sizeMin = 1.0

    private func prepare(_ text: String, _ face: Face, _ size: Double, width: Double) {
        pango_context_set_language(
            pango_layout_get_context(layout), pango_language_from_string(text.languageOfScript ?? language))
        pango_layout_context_changed(layout)
        pango_layout_set_text(layout, text, -1)
        pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
        // Pango turns left and right around for text that runs from right to left. It begins at the left all the same,
        // below and above the other lines.
        pango_layout_set_alignment(
            layout, pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT)
        setSize(face, size)
    }

    private func setSize(_ face: Face, _ size: Double) {
        let font = fonts[face]
        pango_font_description_set_absolute_size(font, size * Double(PANGO_SCALE))
        pango_layout_set_font_description(layout, font)
    }

    private var height: Double {
        var (width, height) = (Int32(0), Int32(0))
        pango_layout_get_size(layout, &width, &height)
        return Double(height) / Double(PANGO_SCALE)
    }

    // MARK: Shapes

    func fill(_ frame: SlipLayout.Frame, radius: Double, _ colour: Colour) {
        let (right, bottom) = (frame.x + frame.width - radius, frame.y + frame.height - radius)
        let (left, top) = (frame.x + radius, frame.y + radius)
        cairo_new_path(cairo)
        cairo_arc(cairo, right, top, radius, -.pi / 2, 0)
        cairo_arc(cairo, right, bottom, radius, 0, .pi / 2)
        cairo_arc(cairo, left, bottom, radius, .pi / 2, .pi)
        cairo_arc(cairo, left, top, radius, .pi, 3 * .pi / 2)
        cairo_close_path(cairo)
        cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue)
        cairo_fill(cairo)
    }

    /// A line along which paper is cut.
    func cut(from start: (x: Double, y: Double), to end: (x: Double, y: Double), _ colour: Colour) {
        cairo_set_dash(cairo, [3, 3], 2, 0)
        cairo_set_line_width(cairo, 0.5)
        cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue)
        cairo_move_to(cairo, start.x, start.y)
        cairo_line_to(cairo, end.x, end.y)
        cairo_stroke(cairo)
    }

    // MARK: Pages

    func endPage() { cairo_show_page(cairo) }

    /// Ends the document. Nothing can be drawn any more.
    func finish() throws -> Data {
        cairo_surface_finish(surface)
        let status = cairo_surface_status(surface)
        guard status == CAIRO_STATUS_SUCCESS, cairo_status(cairo) == CAIRO_STATUS_SUCCESS else {
            throw Failure(
                description: "The slips could not be drawn: \(String(cString: cairo_status_to_string(status))).")
        }
        return output.bytes
    }
}

extension String {
    /// `ja` for text with kana, `ko` for text with Hangul. Otherwise characters of one name could come from several
    /// fonts, some of them bold and others not.
    fileprivate var languageOfScript: String? {
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x3041...0x30FF: return "ja"
            case 0xAC00...0xD7A3: return "ko"
            default: continue
            }
        }
        return nil
    }
}
