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

    /// Writes the profile, and checks it by reading it again as an installation would.
    /// - Returns: the profile as XML, and warnings for its author, in spite of which it can be installed.
    /// - Throws: ``Refusal`` if it would have errors.
    public func checked() throws(Refusal) -> (xml: Data, warnings: [Finding]) {
        let profile = profile
        let reading = ProfileReading(profile)
        guard reading.errors.isEmpty else { throw Refusal(errors: reading.errors) }
        return (profile.xml, reading.findings)
    }
}
