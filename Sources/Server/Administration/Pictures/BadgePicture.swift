import Directory
import Foundation
import Pictures

/// What a badge shall show: a picture, or none.
package struct BadgePicture: Sendable {
    private let picture: Result<Picture?, Picture.Refusal>

    static let explanation = """
        A PNG file in base64, of 64 to 4096 dots on a side and at most 1 MB. It is made smaller, to 128 dots. Without it there \
        are initials.
        """

    /// - Parameter file: nil for no picture.
    init(file: Data?) {
        picture = Result { () throws(Picture.Refusal) in
            guard let file else { return nil }
            return try Picture(file: file)
        }
    }

    /// A PNG file as ``Picture`` writes it, with its id; nil for none.
    /// - Throws: ``OperationError/invalid(field:reason:)`` if the file that was given is no picture that ``Picture``
    ///   takes
    func checked(_ field: String) throws -> (png: Data, id: String)? {
        do {
            return try picture.get().map { ($0.png, PictureID.of($0.png)) }
        } catch {
            throw OperationError.invalid(field: field, reason: error.rawValue)
        }
    }
}
