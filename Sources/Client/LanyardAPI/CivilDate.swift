import Foundation

// Dates of the proleptic Gregorian calendar as day numbers, day 0 being 1970-01-01. A formatter could do this too,
// but at many times the cost, and a roster page holds hundreds of dates. Years are counted from March, so that the
// leap day is the last of its year, in eras of 400 years = 146 097 days.

/// The day number of a date. A day past the end of its month counts on into the next.
func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let (era, yearOfEra) = marchYear.quotientAndRemainder(flooringBy: 400)
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
}

/// The date of a day number.
package func civilDate(ofDay dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (dayNumber + 719_468).quotientAndRemainder(flooringBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = (monthFromMarch + 2) % 12 + 1
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, day)
}

extension Date {
    /// Whole seconds since 1970, of the time nearest to this one that can be written with four digits for the year.
    package var writableSeconds: Int {
        let (first, last) = (-62_167_219_200.0, 253_402_300_799.0)  // 0000-01-01T00:00:00Z, 9999-12-31T23:59:59Z
        let seconds = timeIntervalSince1970.rounded(.down)
        return Int(seconds.isNaN ? first : min(max(seconds, first), last))
    }
}

extension Int {
    /// Division towards minus infinity, so that times before 1970 come out right.
    package func quotientAndRemainder(flooringBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
