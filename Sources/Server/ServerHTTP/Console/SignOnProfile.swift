/// Makes the single sign-on profile with which devices of an organization sign their people in here. The program that
/// runs the server brings it, because profiles belong to the rooms of devices, which the server does not know.
package struct SignOnProfile: Sendable {
    /// Why there is none: a sentence for people.
    package struct Problem: Error {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// The profile for an organization of this name, as a property list in XML.
    let make: @Sendable (_ organization: String) throws -> [UInt8]

    /// - Parameter make: throws ``Problem``.
    package init(_ make: @escaping @Sendable (_ organization: String) throws -> [UInt8]) { self.make = make }
}
