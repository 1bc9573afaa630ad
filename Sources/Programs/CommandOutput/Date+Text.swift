#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// Date and time to the minute, in UTC so that it is the same on every machine, such as `2026-03-01 08:30`.
    package var minuteText: String {
        // Drop ":00Z" from the end: its length is fixed, that of the part before it is not.
        String(formatted(.iso8601).dropLast(4)).replacing("T", with: " ")
    }
}
