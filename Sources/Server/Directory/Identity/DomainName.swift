/// What counts as a domain name: of organizations, of locations, and behind the `@` of mail.
package enum DomainName {
    /// Two labels or more, of ASCII letters, digits and hyphens that stand neither first nor last; no root dot.
    /// RFC 1123 §2.1, RFC 1035 §2.3.4.
    package static func isWellFormed(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
            }
    }
}
