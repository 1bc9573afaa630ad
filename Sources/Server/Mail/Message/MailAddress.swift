import Directory

/// An email address that needs no quoting: an ASCII dot-atom, `@`, a domain name. RFC 5321 §4.1.2, RFC 5322 §3.4.1.
///
/// Quoted local parts, address literals and addresses beyond ASCII (RFC 6531) are refused: they are rare, and two
/// programs may read one differently. The directory stores a wider set (`FieldRule.email`); this rule applies when a
/// message is about to be sent.
package struct MailAddress: Hashable, Sendable {
    /// In its original case, because a mail server may distinguish upper and lower case.
    package let localPart: String
    /// Lower case, no trailing dot.
    package let domain: String

    package var text: String { "\(localPart)@\(domain)" }

    /// The address in lower case, for comparing: in practice no mail server distinguishes case.
    package var folded: String { "\(localPart.lowercased())@\(domain)" }

    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let text: String
        package let reason: String
        package var description: String { "“\(text)” is no email address that mail can be sent to: \(reason)." }
    }

    /// - Throws: ``Problem`` with the rule that the text breaks.
    package init(_ text: String) throws {
        func refuse(_ reason: String) -> Problem { Problem(text: String(text.prefix(320)), reason: reason) }
        guard text.utf8.count <= 254 else { throw refuse("it is longer than 254 characters") }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw refuse("it has spaces or characters beyond ASCII")
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw refuse("it must have one @") }
        let (localPart, domain) = (String(parts[0]), parts[1].lowercased())
        guard (1...64).contains(localPart.utf8.count) else {
            throw refuse("what stands before the @ has from 1 to 64 characters")
        }
        guard Self.isDotAtom(localPart) else { throw refuse("what stands before the @ is misspelled") }
        guard DomainName.isWellFormed(domain) else { throw refuse("what stands behind the @ is no domain name") }
        self.localPart = localPart
        self.domain = domain
    }

    private static func isDotAtom(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.utf8.allSatisfy(isAtomText)
        }
    }

    /// RFC 5322 §3.2.3, without what is beyond ASCII.
    static func isAtomText(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }
}
