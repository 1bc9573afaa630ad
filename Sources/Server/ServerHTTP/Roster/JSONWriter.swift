import Foundation
import LanyardAPI

/// Writes JSON directly into bytes. Roster pages have thousands of small values, for which `Codable` takes seven times
/// as long.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func array<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
        for element in elements { body(&self, element) }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// - Parameter name: must not need escaping.
    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escape($0) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A string whose bytes need no escaping.
    mutating func plain(_ text: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    /// Whole seconds, UTC: `2025-02-03T15:44:09Z`.
    mutating func date(_ date: Date) {
        var seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        seconds -= days * 86_400
        let (year, month, day) = civilDate(ofDay: days)
        separate()
        bytes.append(UInt8(ascii: "\""))
        number(year, digits: 4)
        bytes.append(UInt8(ascii: "-"))
        number(month, digits: 2)
        bytes.append(UInt8(ascii: "-"))
        number(day, digits: 2)
        bytes.append(UInt8(ascii: "T"))
        number(seconds / 3_600, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        number(seconds / 60 % 60, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        number(seconds % 60, digits: 2)
        bytes.append(UInt8(ascii: "Z"))
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func number(_ value: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    /// Escapes quotation marks, backslashes and control characters, and copies everything else. RFC 8259 §7.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in 0..<text.count {
            let byte = text[index]
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
            bytes.append(contentsOf: text[start..<index])
            start = index + 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: #"\n"#.utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: #"\r"#.utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: #"\t"#.utf8)
            default:
                bytes.append(contentsOf: #"\u00"#.utf8)
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        bytes.append(contentsOf: text[start...])
    }
}
