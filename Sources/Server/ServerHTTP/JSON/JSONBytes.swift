import Foundation
import LanyardAPI

extension [UInt8] {
    /// Appends a time in quotation marks, in whole seconds of UTC: `2025-02-03T15:44:09Z`.
    mutating func append(json date: Date) {
        let (dayNumber, seconds) = date.writableSeconds.quotientAndRemainder(flooringBy: 86_400)
        let (year, month, day) = civilDate(ofDay: dayNumber)
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
}
