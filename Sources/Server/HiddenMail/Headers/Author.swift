import Mail

/// The one mailbox of a `From` or `Reply-To` header. RFC 5322 §3.6.2 allows several and groups, which are refused here: who is
/// answered must not be a matter of interpretation.
package struct Author: Equatable, Sendable {
    package let address: MailAddress
    /// As it stood there, quotes and encoded words included; nil if there was none.
    package let phrase: String?

    /// Nil unless the header names exactly one mailbox that ``MailAddress`` takes.
    package init?(_ field: HeaderField) {
        guard let plain = try? HeaderScanner.withoutComments(field.unfolded) else { return nil }
        // Each of these would begin another mailbox or a group.
        let special: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":")]
        guard HeaderScanner.split(plain, at: special.contains).count == 1 else { return nil }
        let opened = HeaderScanner.split(plain) { $0 == UInt8(ascii: "<") }
        let closed = HeaderScanner.split(opened[opened.count - 1]) { $0 == UInt8(ascii: ">") }
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).trimmingBlanks }
        switch (opened.count, closed.count) {
        case (1, 1):
            guard let address = try? MailAddress(text(plain)) else { return nil }
            self.address = address
            phrase = nil
        case (2, 2):
            let hasOneEnd = HeaderScanner.split(opened[0]) { $0 == UInt8(ascii: ">") }.count == 1
            guard hasOneEnd, text(closed[1]).isEmpty, let address = try? MailAddress(text(closed[0])) else {
                return nil
            }
            self.address = address
            phrase = text(opened[0]).isEmpty ? nil : text(opened[0])
        default: return nil
        }
    }

    /// The name for another header, folded if it has to be; nil if there was none.
    package var headerPhrase: String? {
        guard let phrase else { return nil }
        let isPlain = phrase.utf8.count <= 200 && phrase.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        return isPlain ? phrase : HeaderText.phrase(String(phrase.prefix(200)))
    }
}
