import Mail

/// The single mailbox of a `From` or `Reply-To` header. RFC 5322 §3.6.2 allows several mailboxes and groups; they are
/// refused here, so that it is never open to interpretation who gets an answer.
package struct Author: Equatable, Sendable {
    package let address: MailAddress
    /// The display name as it stood in the header, with quotes and encoded words; nil if there was none.
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

    /// The display name for use in another header, folded if necessary; nil if there was none.
    package var headerPhrase: String? {
        guard let phrase else { return nil }
        let isPlain = phrase.utf8.count <= 200 && phrase.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        return isPlain ? phrase : HeaderText.phrase(String(phrase.prefix(200)))
    }
}
