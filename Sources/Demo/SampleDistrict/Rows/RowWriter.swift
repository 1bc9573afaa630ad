/// Collects CSV rows by the cell rules of Apple's templates: UTF-8, commas, LF; straight quotes only around a
/// value that holds a space or comma; a backslash before a quote inside a value.
struct RowWriter {
    private(set) var bytes: [UInt8] = []
    private var isAtRowStart = true

    /// Rows are handed on in chunks of about this many bytes.
    private static let chunkBytes = 64 << 10

    init() {
        bytes.reserveCapacity(Self.chunkBytes + 4096)
    }

    var isFull: Bool {
        bytes.count >= Self.chunkBytes
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func endRow() {
        bytes.append(UInt8(ascii: "\n"))
        isAtRowStart = true
    }

    mutating func emptyCell() {
        cell { _ in }
    }

    mutating func cell(_ identifier: Identifier?) {
        cell { identifier?.append(to: &$0) }
    }

    mutating func cell(_ number: Int) {
        cell { $0.append(number: number) }
    }

    mutating func cell(_ text: String) {
        cell(Array(text.utf8))
    }

    /// Writes any UTF-8 text, quoted and escaped as needed.
    mutating func cell(_ value: [UInt8]) {
        let needsQuotes = value.contains { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }
        cell { bytes in
            if needsQuotes { bytes.append(UInt8(ascii: "\"")) }
            for byte in value {
                if byte == UInt8(ascii: "\"") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            if needsQuotes { bytes.append(UInt8(ascii: "\"")) }
        }
    }

    /// Lets the caller append a value that needs no quoting.
    mutating func cell(_ append: (inout [UInt8]) -> Void) {
        if !isAtRowStart { bytes.append(UInt8(ascii: ",")) }
        isAtRowStart = false
        append(&bytes)
    }
}
