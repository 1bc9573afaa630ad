import Foundation
import Ground

/// A secret that is shown to a person, who has not shown yet that their generator has it. It is not stored: the form
/// has it, sealed for this person, and brings it back.
package struct NewOneTimeCodeKey: Sendable {
    package let secret: [UInt8]
    /// For the form: base64url.
    package let sealed: String

    /// How long a form is good, in seconds.
    private static let lifetime: TimeInterval = 3_600
    private static let timeBytes = 8

    package init(for person: PersonID, sealing: Sealing, at now: Date, from surroundings: Surroundings) throws {
        secret = surroundings.randomBytes(OneTimeCode.secretBytes)
        let end = UInt64(max(0, now.addingTimeInterval(Self.lifetime).timeIntervalSince1970))
        sealed =
            Data(
                try sealing.seal(withUnsafeBytes(of: end.bigEndian) { Array($0) } + secret, Self.purpose(person))
            ).base64URLEncoded
    }

    /// - Returns: nil if the form is another person's, or too old.
    package init?(_ sealed: String, for person: PersonID, sealing: Sealing, at now: Date) {
        guard
            let bytes = Data(base64URLEncoded: sealed).flatMap({ try? sealing.open(Array($0), Self.purpose(person)) }),
            bytes.count == Self.timeBytes + OneTimeCode.secretBytes
        else { return nil }
        let end = bytes.prefix(Self.timeBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard now.timeIntervalSince1970 < Double(end) else { return nil }
        secret = Array(bytes.dropFirst(Self.timeBytes))
        self.sealed = sealed
    }

    private static func purpose(_ person: PersonID) -> String { "new one_time_code_key \(person.rawValue)" }
}
