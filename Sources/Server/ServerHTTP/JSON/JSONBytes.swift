import Foundation
import LanyardAPI

extension [UInt8] {
    /// Appends a text in quotation marks. Escaped are quotation marks, backslashes and control characters. RFC 8259 §7.
    mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { escape($0) }
        append(UInt8(ascii: "\""))
    }

    /// Appends a time in quotation marks, in whole seconds of UTC: `2025-02-03T15:44:09Z`.
    mutating func append(json date: Date) {
        var seconds = date.writableSeconds
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        seconds -= days * 86_400
        let (year, month, day) = civilDate(ofDay: days)
        append(UInt8(ascii: "\""))
        append(year, digits: 4)
        append(UInt8(ascii: "-"))
        append(month, digits: 2)
        append(UInt8(ascii: "-"))
        append(day, digits: 2)
        append(UInt8(ascii: "T"))
        append(seconds / 3_600, digits: 2)
        append(UInt8(ascii: ":"))
        append(seconds / 60 % 60, digits: 2)
        append(UInt8(ascii: ":"))
        append(seconds % 60, digits: 2)
        append(UInt8(ascii: "Z"))
        append(UInt8(ascii: "\""))
    }

    private mutating func append(_ value: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in 0..<text.count {
            let byte = text[index]
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
            append(contentsOf: text[start..<index])
            start = index + 1
            append(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
            case 0x08: append(UInt8(ascii: "b"))
            case 0x0c: append(UInt8(ascii: "f"))
            case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
            case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
            case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
            default:
                append(contentsOf: "u00".utf8)
                let digits = Array("0123456789abcdef".utf8)
                append(digits[Int(byte >> 4)])
                append(digits[Int(byte & 15)])
            }
        }
        append(contentsOf: text[start...])
    }
}
