#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// To the minute, in UTC: the same on every machine.
    package var minuteText: String {
        // What follows the minute has always the same length, what precedes it has not: ":00Z".
        String(formatted(.iso8601).dropLast(4)).replacing("T", with: " ")
    }
}
