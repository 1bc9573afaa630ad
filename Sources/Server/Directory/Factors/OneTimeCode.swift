import Crypto
import Foundation
import Ground

/// TOTP (RFC 6238): the time-based one-time codes that a generator on a phone shows, each with six digits and for
/// thirty seconds. They are made with SHA-1, because that is what all generators have.
package enum OneTimeCode {
    package static let digits = 6
    /// Seconds for which one code is shown.
    static let period: TimeInterval = 30
    /// RFC 4226 §4, R6: 160 bits.
    package static let secretBytes = 20
    /// How many steps the clock of a phone may be behind or ahead. RFC 6238 §5.2.
    private static let tolerance = 1

    /// The number of the step of a time. RFC 6238 §4.2.
    package static func step(at time: Date) -> Int { Int((time.timeIntervalSince1970 / period).rounded(.down)) }

    /// RFC 4226 §5.3.
    package static func code(of secret: [UInt8], step: Int) -> String {
        let counter = withUnsafeBytes(of: UInt64(bitPattern: Int64(step)).bigEndian) { Data($0) }
        let code = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int(code[code.count - 1] & 0x0f)
        let number = code[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The step to which a code belongs, at about this time.
    /// - Parameter last: the step of the last code that was taken. RFC 6238 §5.2: no code is taken twice.
    /// - Returns: nil if the code is wrong.
    static func step(of code: String, by secret: [UInt8], after last: Int, at now: Date) -> Int? {
        let current = step(at: now)
        return (current - tolerance...current + tolerance).first {
            $0 > last && Self.code(of: secret, step: $0).isExactly(code)
        }
    }

    /// The secret as people type it. RFC 4648 §6, without padding.
    package static func text(of secret: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (text, bits, count) = ("", 0, 0)
        for byte in secret {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[bits >> count & 31])
            }
            bits &= (1 << count) - 1
        }
        return count == 0 ? text : text + String(alphabet[bits << (5 - count) & 31])
    }

    /// The address that generators read from a picture: the `otpauth` scheme, as all of them know it.
    /// - Parameters:
    ///   - account: the person's user name.
    ///   - issuer: the server's host, by which people find the code among others.
    package static func address(of secret: [UInt8], account: String, issuer: String) -> String {
        """
        otpauth://totp/\(FormEncoding.escape(issuer)):\(FormEncoding.escape(account))?secret=\(text(of: secret))&issuer=\(FormEncoding.escape(issuer))\
        &algorithm=SHA1&digits=\(digits)&period=\(Int(period))
        """
    }
}
