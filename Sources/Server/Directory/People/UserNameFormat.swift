import Foundation
import Storage

/// How imported people get their user names: building blocks in braces, free text between them.
///
/// `{first_name}.{last_name}@maple.example`, `{sis_username}@maple.example`, `{first_initial}{person_number}@…`.
/// Blocks: `first_name`, `middle_name`, `last_name`, `first_initial`, `middle_initial`, `last_initial`,
/// `person_id`, `person_number`, `sis_username`, `email_address`.
package struct UserNameFormat: Equatable, Sendable {
    package let text: String
    private let parts: [Part]

    private enum Part: Equatable, Sendable {
        case text(String)
        case block(Block)
    }

    package enum Block: String, CaseIterable, Sendable {
        case firstName = "first_name"
        case middleName = "middle_name"
        case lastName = "last_name"
        case firstInitial = "first_initial"
        case middleInitial = "middle_initial"
        case lastInitial = "last_initial"
        case personID = "person_id"
        case personNumber = "person_number"
        case sisUserName = "sis_username"
        case email = "email_address"
    }

    /// - Throws: ``DirectoryError/invalidField(field:reason:)`` for an unknown block, a format without blocks, or one
    ///   whose result cannot be a user name.
    package init(_ text: String) throws {
        func invalid(_ reason: String) -> DirectoryError { .invalidField(field: "user-name format", reason: reason) }
        var parts: [Part] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else { throw invalid("has a { without }") }
            let name = String(rest[rest.index(after: open)..<close])
            guard let block = Block(rawValue: name) else {
                throw invalid("names {\(name)}; it may name \(Block.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            parts.append(.block(block))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        guard parts.contains(where: { if case .block = $0 { true } else { false } }) else {
            throw invalid("has no building block such as {first_name}")
        }
        guard !text.contains(where: \.isWhitespace) else { throw invalid("may not hold spaces") }
        guard text.count(where: { $0 == "@" }) <= 1 else { throw invalid("has more than one @") }
        self.text = text
        self.parts = parts
    }

    /// `{first_name}.{last_name}@` and the domain.
    package static func standard(domain: String) -> UserNameFormat {
        try! UserNameFormat("{first_name}.{last_name}@\(domain)")  // a domain holds neither brace nor space
    }

    /// The user name of a person by this format, or the first block for which the person has no value.
    /// - Parameter simplify: ``simplified(_:)`` or a caching version of it: transliterating a name takes up to 0.2 ms.
    package func userName(
        simplify: (String) -> String = simplified, for values: (Block) -> String?
    ) -> Result<String, MissingBlock> {
        var name = ""
        for part in parts {
            switch part {
            case .text(let text): name += text.lowercased()
            case .block(let block):
                let raw = values(block) ?? ""
                let value = block == .email ? raw.lowercased() : simplify(raw)
                guard !value.isEmpty else { return .failure(MissingBlock(block: block)) }
                switch block {
                case .firstInitial, .middleInitial, .lastInitial: name += value.prefix(1)
                default: name += value
                }
            }
        }
        return .success(name)
    }

    package struct MissingBlock: Error, Equatable {
        package let block: Block
    }

    /// The name with a number before the `@`, for the second and further people with the same name.
    package static func numbered(_ name: String, _ number: Int) -> String {
        guard let at = name.lastIndex(of: "@") else { return "\(name)\(number)" }
        return "\(name[..<at])\(number)\(name[at...])"
    }

    /// Lower-case ASCII letters, digits, dots and hyphens: `Ana María` becomes `ana.maria`, `大輔` `da.fu`.
    package static func simplified(_ text: String) -> String {
        let isSimple = text.utf8.allSatisfy { $0.isASCIILetterOrDigit }
        if isSimple { return text.lowercased() }
        let latin =
            text.applyingTransform(.toLatin, reverse: false)?
            .applyingTransform(StringTransform("Latin-ASCII"), reverse: false) ?? text
        var simplified = ""
        for byte in latin.lowercased().utf8 {
            if byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") {
                simplified.append(Character(UnicodeScalar(byte)))
            } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") {
                if !simplified.isEmpty, !simplified.hasSuffix(".") { simplified.append(".") }
            }
        }
        while simplified.hasSuffix(".") { simplified.removeLast() }
        return simplified
    }
}
