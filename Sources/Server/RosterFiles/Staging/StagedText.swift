import Foundation

/// A value on its way into a staging table: trimmed and in Unicode's composed form, as values that are typed by hand
/// are stored, so that equal names compare equal. Blank is no value.
enum StagedText {
    case none
    /// Valid only while the row is.
    case bytes(UnsafeBufferPointer<UInt8>)
    case string(String)

    /// - Parameter isSound: whether the row has no error. One that has may hold what no database takes as text.
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
    /// The same without blanks and line breaks at its ends.
    var withoutPadding: UnsafeBufferPointer<UInt8> {
        var rest = self[...]
        while let first = rest.first, first.isPadding { rest.removeFirst() }
        while let last = rest.last, last.isPadding { rest.removeLast() }
        return UnsafeBufferPointer(rebasing: rest)
    }
}
