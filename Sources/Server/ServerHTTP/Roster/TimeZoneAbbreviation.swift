import Foundation

/// `PST` for `America/Los_Angeles`: the format of one sample of the service that we are compatible with, for clients
/// that cannot read an IANA name.
enum TimeZoneAbbreviation {
    /// The standard-time abbreviation, the same all year; the IANA name where there is none.
    static func of(_ identifier: String) -> String {
        guard let zone = TimeZone(identifier: identifier) else { return identifier }
        let english = Locale(identifier: "en_US")
        return zone.localizedName(for: .shortStandard, locale: english) ?? identifier
    }
}
