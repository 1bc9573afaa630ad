import Directory
import Foundation

/// A plain-text message of the server to one person, for example with a code or a notice.
package struct MailMessage: Equatable, Sendable {
    package let recipient: MailAddress
    /// May contain any characters.
    package let subject: String
    /// May have any kind of line break.
    package let text: String
    /// A tag such as `ja`, for `Content-Language`.
    package let language: String

    /// - Throws: ``Problem`` if a text is too long, or `language` is no language tag.
    package init(to recipient: MailAddress, subject: String, text: String, language: String) throws {
        guard text.utf8.count <= Self.textBytesMax, subject.utf8.count <= Self.subjectBytesMax else {
            throw Problem.tooLong
        }
        guard (2...35).contains(language.utf8.count),
            language.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") })
        else { throw Problem.noLanguage(language) }
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.language = language
    }

    package static let textBytesMax = 64 * 1_024
    package static let subjectBytesMax = 998

    package enum Problem: Error, Equatable, CustomStringConvertible {
        case tooLong
        case noLanguage(String)

        package var description: String {
            switch self {
            case .tooLong:
                "A mail has at most \(subjectBytesMax) bytes of subject and \(textBytesMax) bytes of text."
            case .noLanguage(let tag): "“\(tag)” is no language tag."
            }
        }
    }
}

extension MailMessage {
    /// The whole message for SMTP, with lines that end in CRLF. RFC 5322, RFC 2045.
    /// - Parameters:
    ///   - messageID: without angle brackets.
    ///   - date: when it was written, not when it is sent, so that every attempt sends the same message.
    package func rendered(from sender: Mailbox, messageID: String, date: Date) -> String {
        let headers = [
            "From: \(sender.headerText)",
            "To: <\(recipient.text)>",
            "Subject: \(HeaderText.unstructured(subject))",
            "Date: \(Self.dateText(date))",
            "Message-ID: <\(messageID)>",
            // Tells automatic responders not to answer. RFC 3834 §5.
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Language: \(language)",
            "Content-Transfer-Encoding: quoted-printable",
        ]
        return headers.joined(separator: "\r\n") + "\r\n\r\n" + QuotedPrintable.encode(text)
    }

    /// RFC 5322 §3.3, in UTC.
    static func dateText(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        // The parts are there because they were requested. RFC 5322 requires the English names.
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][parts.weekday! - 1]
        let month =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][parts.month! - 1]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return """
            \(weekday), \(two(parts.day!)) \(month) \(parts.year!) \
            \(two(parts.hour!)):\(two(parts.minute!)):\(two(parts.second!)) +0000
            """
    }
}
