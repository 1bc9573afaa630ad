import Directory
import Foundation
import Ground
import Pictures

/// What a badge shall show: a picture, or none.
package struct BadgePicture: Sendable {
    /// A PNG file as ``Picture`` writes it; nil for no picture.
    let png: Data?
    let id: String?

    static let explanation = """
        A PNG file in base64, of 64 to 4096 dots on a side and at most 1 MB. It is made smaller, to 128 dots. Without it there \
        are initials.
        """

    static let none = BadgePicture(png: nil)

    private init(png: Data?) {
        self.png = png
        id = png.map(PictureID.of)
    }

    /// A file of 1 MB can be 64 MB of dots, and take a second. So there is one at a time, and it keeps neither a
    /// transaction nor what answers other requests.
    private static let drawing = BlockingQueue(width: 1)

    /// Draws a file anew.
    /// - Parameter file: nil for no picture.
    /// - Throws: ``OperationError/invalid(field:reason:)`` if the file is no such file
    static func drawn(_ file: Data?, field: String) async throws -> BadgePicture {
        guard let file else { return .none }
        do {
            return BadgePicture(png: try await drawing.run { try Picture(file: file).png })
        } catch let refusal as Picture.Refusal {
            throw OperationError.invalid(field: field, reason: refusal.rawValue)
        }
    }
}
