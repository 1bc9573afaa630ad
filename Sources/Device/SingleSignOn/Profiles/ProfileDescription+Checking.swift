#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ProfileDescription {
    /// Why a description gives no profile.
    public struct Refusal: Error, CustomStringConvertible {
        public let errors: [Finding]

        public var description: String {
            "Nothing was written:\n" + errors.map { "  \($0)" }.joined(separator: "\n")
        }
    }

    /// The profile as a file, read back as whoever installs it would read it.
    /// - Returns: XML, and what somebody should know who hands it out; none of that keeps it from being installed.
    /// - Throws: ``Refusal`` if it would have errors.
    public func checked() throws(Refusal) -> (xml: Data, warnings: [Finding]) {
        let profile = profile
        let reading = ProfileReading(profile)
        guard reading.errors.isEmpty else { throw Refusal(errors: reading.errors) }
        return (profile.xml, reading.findings)
    }
}
