/// Names of domains, hosts and realms, as they may stand in questions to name servers and in configuration files.
package enum DomainName {
    /// The name in lower case, without a root dot.
    /// - Returns: nil unless it is made of labels of 1 to 63 letters, digits, `-` and `_` in ASCII, 253 characters at most
    ///   in all.
    package static func canonical(_ text: String) -> String? {
        let name = text.hasSuffix(".") ? String(text.dropLast()) : text
        return isName(name) ? name.lowercased() : nil
    }

    /// Whether a text is a realm in the style of domains, the only one that Active Directory has (RFC 4120 §6.1).
    package static func isRealm(_ text: String) -> Bool { isName(text) }

    private static func isName(_ name: String) -> Bool {
        (1...253).contains(name.utf8.count)
            && name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { isLetterOrDigit($0) || "-_".utf8.contains($0) }
            }
    }

    /// Whether a text can be a site of Active Directory, which is one label of a domain name, in any script.
    package static func isSite(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
