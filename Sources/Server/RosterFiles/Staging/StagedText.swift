import Foundation

/// A value for a staging table, trimmed and in Unicode's composed form (NFC) as values typed by hand are stored, so
/// that equal names compare equal. A blank value becomes NULL.
enum StagedText {
    case none
    /// The bytes are valid only as long as the row.
    case bytes(UnsafeBufferPointer<UInt8>)
    case string(String)

    /// - Parameter isSound: whether the row has no error. A row with an error may contain bytes that no database
    ///   accepts as text.
    init(_ value: UnsafeBufferPointer<UInt8>, isSound: Bool) {
        let bytes = value.withoutPadding
        if bytes.isEmpty {
            self = .none
        } else if isSound, bytes.allSatisfy({ $0 < 0x80 }) {
            self = .bytes(bytes)
        } else {
            let text = String(decoding: bytes, as: UTF8.self).precomposedStringWithCanonicalMapping
            self = .string(isSound ? text : text.filter { $0 != "\0" })
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The same bytes without blanks and line breaks at both ends.
    var withoutPadding: UnsafeBufferPointer<UInt8> {
        var rest = self[...]
        while let first = rest.first, first.isPadding { rest.removeFirst() }
        while let last = rest.last, last.isPadding { rest.removeLast() }
        return UnsafeBufferPointer(rebasing: rest)
    }
}
