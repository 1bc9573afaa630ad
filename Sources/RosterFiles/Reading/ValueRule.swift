/// What the values of a column may be. Apple's template rules; lengths, in UTF-8 bytes, from its device-management roster.
package enum ValueRule: Equatable, Sendable {
    case identifier
    case text(bytesMax: Int)
    case emailAddress
    case passwordPolicy

    var bytesMax: Int {
        switch self {
        case .identifier: 256
        case .text(let bytesMax): bytesMax
        case .emailAddress: 254  // RFC 5321 §4.5.3.1.3, less the angle brackets
        case .passwordPolicy: 16
        }
    }

    enum Violation {
        case invalidIdentifier
        case unusualIdentifier
        case invalidEmailAddress
        case controlCharacter
        case valueNotAllowed
    }

    /// - Parameter value: not empty.
    func violation(by value: UnsafeBufferPointer<UInt8>) -> Violation? {
        switch self {
        case .identifier: Self.checkIdentifier(value)
        case .text: Self.holdsControl(value.withoutPadding) ? .controlCharacter : nil
        case .emailAddress:
            Self.isPlausibleAddress(value) && !Self.holdsControl(value) ? nil : .invalidEmailAddress
        case .passwordPolicy: Self.isPasswordPolicy(value) ? nil : .valueNotAllowed
        }
    }

    /// Line breaks, tabs, and the control characters U+0080 to U+009F: what may not stand in a value that is typed by
    /// hand either. The reader reports the others itself.
    private static func holdsControl(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in value {
            if byte == .lineFeed || byte == .carriageReturn || byte == .tab { return true }
            if previous == 0xC2, (0x80..<0xA0).contains(byte) { return true }
            previous = byte
        }
        return false
    }

    /// Letters, digits and hyphens. Many student information systems also put underscores and full stops into theirs:
    /// harmless here, though not everywhere. Anything else (spaces, slashes, accents) breaks links and look-alike checks.
    private static func checkIdentifier(_ value: UnsafeBufferPointer<UInt8>) -> Violation? {
        var isUnusual = false
        for byte in value {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
                continue
            case UInt8(ascii: "_"), UInt8(ascii: "."): isUnusual = true
            default: return .invalidIdentifier
            }
        }
        return isUnusual ? .unusualIdentifier : nil
    }

    /// One `@` between a local part of at most 64 bytes and a domain of at least two labels, and nothing that a
    /// mailbox written without quotes cannot hold. RFC 5321 §4.1.2; letters beyond ASCII as in RFC 6531.
    private static func isPlausibleAddress(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        var at: Int?
        var domainHasStop = false
        var previous = UInt8(ascii: ".")
        for (index, byte) in value.enumerated() {
            switch byte {
            case UInt8(ascii: "@"):
                if at != nil || previous == UInt8(ascii: ".") || index > 64 { return false }
                at = index
            case UInt8(ascii: "."):
                // Neither first nor last in its part, nor beside another.
                if previous == UInt8(ascii: ".") || previous == UInt8(ascii: "@") { return false }
                if at != nil { domainHasStop = true }
            case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","),
                UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["),
                UInt8(ascii: "\\"), UInt8(ascii: "]"):
                return false
            default: break
            }
            previous = byte
        }
        return domainHasStop && previous != UInt8(ascii: ".")
    }

    private static func isPasswordPolicy(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        value.count == 1
            && (value[0] == UInt8(ascii: "4") || value[0] == UInt8(ascii: "6") || value[0] == UInt8(ascii: "8"))
    }
}
