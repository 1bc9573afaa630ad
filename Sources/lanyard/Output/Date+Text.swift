import Foundation

extension Date {
    /// To the minute, in UTC: the same on every machine.
    var minuteText: String {
        formatted(.iso8601).prefix(16).replacingOccurrences(of: "T", with: " ")
    }
}
