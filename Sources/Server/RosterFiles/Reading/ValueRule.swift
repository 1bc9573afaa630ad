import Directory
import Ground

/// What the values of a column may be: the rules of Apple's templates, with length limits in UTF-8 bytes from its
/// device-management roster.
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
        case decimalIdentifier
        case invalidEmailAddress
        case controlCharacter
        case invisibleCharacter
        case formula
        case valueNotAllowed
    }

    /// - Parameter value: not empty.
    func violation(by value: UnsafeBufferPointer<UInt8>) -> Violation? {
        switch self {
        case .identifier: Self.checkIdentifier(value)
        case .text: Self.checkText(value.withoutPadding)
        case .emailAddress:
            Self.isPlausibleAddress(value) && !Self.holdsControl(value)
                && !Self.holdsInvisible(value) ? nil : .invalidEmailAddress
        case .passwordPolicy: Self.isPasswordPolicy(value) ? nil : .valueNotAllowed
        }
    }

    /// Whether the value contains line breaks, tabs or control characters U+0080 to U+009F, which values typed by hand
    /// may not have either. Other control characters are reported by the reader.
    private static func holdsControl(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in value {
            if byte == .lineFeed || byte == .carriageReturn || byte == .tab { return true }
            if previous == 0xC2, (0x80..<0xA0).contains(byte) { return true }
            previous = byte
        }
        return false
    }

    private static func holdsInvisible(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        value.contains { $0 >= 0x80 } && String(decoding: value, as: UTF8.self).holdsInvisible
    }

    private static func checkText(_ value: UnsafeBufferPointer<UInt8>) -> Violation? {
        if holdsControl(value) { return .controlCharacter }
        if holdsInvisible(value) { return .invisibleCharacter }
        return value.count > 1 && value[0].beginsFormula ? .formula : nil
    }

    /// Apple allows letters, digits and hyphens. Many student information systems also use underscores, full stops,
    /// spaces or letters of their language, which gives a warning: they work here, but not everywhere.
    private static func checkIdentifier(_ value: UnsafeBufferPointer<UInt8>) -> Violation? {
        var isUnusual = false
        for byte in value where !byte.isASCIILetterOrDigit && byte != UInt8(ascii: "-") {
            isUnusual = true
            break
        }
        guard isUnusual else { return nil }
        guard String(decoding: value, as: UTF8.self).isSourceIdentifier else { return .invalidIdentifier }
        return isDecimal(value) ? .decimalIdentifier : .unusualIdentifier
    }

    /// Whether the value is like `1000.0`, as spreadsheets write whole numbers in a column that has gaps.
    private static func isDecimal(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        let parts = value.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].elementsEqual([UInt8(ascii: "0")])
            && parts[0].allSatisfy(\.isDigit)
    }

    /// One `@` between a local part of at most 64 bytes and a domain of at least two labels, and no character that
    /// needs quotes in a mailbox. RFC 5321 §4.1.2; letters beyond ASCII as in RFC 6531.
    ///
    /// A rule of its own beside `FieldRule.email`: files have hundreds of thousands of addresses, which are bytes that
    /// have not become texts yet. It refuses more, so that what is wrong shows in the plan, with its line.
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
                // A dot may be neither first nor last in its part, nor follow another dot.
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

extension UInt8 {
    /// Whether spreadsheets treat a cell that begins with this byte as a formula.
    var beginsFormula: Bool {
        switch self {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): true
        default: false
        }
    }
}
