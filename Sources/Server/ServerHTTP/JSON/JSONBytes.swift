import Foundation
import LanyardAPI

extension [UInt8] {
    /// Appends a time in quotation marks, in whole seconds of UTC: `2025-02-03T15:44:09Z`.
    mutating func append(json date: Date) {
        let (dayNumber, seconds) = date.writableSeconds.quotientAndRemainder(flooringBy: 86_400)
        let (year, month, day) = civilDate(ofDay: dayNumber)
        append(UInt8(ascii: "\""))
        append(twoDigits: year / 100)
        append(twoDigits: year % 100)
        append(UInt8(ascii: "-"))
        append(twoDigits: month)
        append(UInt8(ascii: "-"))
        append(twoDigits: day)
        append(UInt8(ascii: "T"))
        append(twoDigits: seconds / 3_600)
        append(UInt8(ascii: ":"))
        append(twoDigits: seconds / 60 % 60)
        append(UInt8(ascii: ":"))
        append(twoDigits: seconds % 60)
        append(UInt8(ascii: "Z"))
        append(UInt8(ascii: "\""))
    }

    private mutating func append(twoDigits value: Int) {
        append(UInt8(ascii: "0") + UInt8(value / 10))
        append(UInt8(ascii: "0") + UInt8(value % 10))
    }
}
