import Foundation

/// The one form of a small page that submits itself: what an extension answers to post tokens, such as a SAML response, to a
/// site. extensible-sso.md section 6.1, step 12.
struct SelfPostingForm: Equatable, Sendable {
    let action: URL
    let isPost: Bool
    let fields: [Field]

    struct Field: Equatable, Sendable {
        let name: String
        let value: String
    }

    /// - Returns: nil if the page is no such form: it has several, or a field for a person, or nothing that submits it.
    init?(page: Data, url: URL) {
        guard let text = String(data: page, encoding: .utf8) else { return nil }
        var isPost = false
        var action: String?
        var isInForm = false
        var fields: [Field] = []
        var forms = 0
        for tag in HTMLTag.all(in: text) {
            switch tag.name {
            case "form":
                forms += 1
                isInForm = true
                isPost = tag["method"]?.lowercased() == "post"
                action = tag["action"]
                if let type = tag["enctype"], type.lowercased() != "application/x-www-form-urlencoded" { return nil }
            case "/form": isInForm = false
            case "input" where isInForm:
                switch tag["type"]?.lowercased() {
                case "hidden": if let name = tag["name"] { fields.append(Field(name: name, value: tag["value"] ?? "")) }
                case "submit", "button", "image": continue
                default: return nil
                }
            case "select" where isInForm, "textarea" where isInForm: return nil
            default: continue
            }
        }
        let named = action?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard forms == 1, text.contains(".submit("),
            let target = named.isEmpty ? url : URL(string: named, relativeTo: url)?.absoluteURL,
            let from = Origin(url), let to = Origin(target),
            // Tokens that came over TLS go on over TLS.
            to.isSecure || to.isLoopback || !from.isSecure
        else { return nil }
        self.action = target
        self.isPost = isPost
        self.fields = fields
    }

    /// `application/x-www-form-urlencoded`, as the URL Standard has it.
    var encoded: String {
        fields.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        // A line's end in a form is CR LF.
        let lines = text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\r", with: "\n")
        var result = ""
        for byte in lines.replacingOccurrences(of: "\n", with: "\r\n").utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: " "): result += "+"
            default:
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}

/// A tag of HTML, as far as a small form needs it. What stands in comments and scripts is no tag.
struct HTMLTag {
    /// Lower case; `/form` for an end.
    let name: String
    private let attributes: [(name: String, value: String)]

    /// The first of several, as browsers have it.
    subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    static func all(in text: String) -> [HTMLTag] {
        var tags: [HTMLTag] = []
        var rest = text.unicodeScalars[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            if rest.starts(with: "!--".unicodeScalars) {
                skip(past: "-->", &rest)
                continue
            }
            guard let tag = HTMLTag(&rest) else { continue }
            tags.append(tag)
            if ["script", "style", "title", "textarea"].contains(tag.name) { skip(to: "</\(tag.name)", &rest) }
        }
        return tags
    }

    private init?(_ rest: inout Substring.UnicodeScalarView) {
        // No name is longer: what never ends is not read again and again.
        let name = rest.prefix(32).prefix { !Self.isSpace($0) && $0 != ">" && !($0 == "/" && $0 != rest.first) }
        guard let first = name.first(where: { $0 != "/" }), first.properties.isAlphabetic else { return nil }
        self.name = String(name).lowercased()
        rest = rest[name.endIndex...]
        var attributes: [(name: String, value: String)] = []
        while true {
            rest = rest.drop { Self.isSpace($0) || $0 == "/" }
            guard let scalar = rest.first, scalar != ">" else { break }
            let key = rest.prefix { !Self.isSpace($0) && $0 != "=" && $0 != ">" && $0 != "/" }
            if key.isEmpty {
                rest = rest.dropFirst()
                continue
            }
            rest = rest[key.endIndex...].drop { Self.isSpace($0) }
            var value = Substring.UnicodeScalarView()
            if rest.first == "=" {
                rest = rest.dropFirst().drop { Self.isSpace($0) }
                if let quote = rest.first, quote == "\"" || quote == "'" {
                    value = rest.dropFirst().prefix { $0 != quote }
                    rest = rest[value.endIndex...].dropFirst()
                } else {
                    value = rest.prefix { !Self.isSpace($0) && $0 != ">" }
                    rest = rest[value.endIndex...]
                }
            }
            attributes.append((String(key).lowercased(), Self.decoded(String(value))))
        }
        self.attributes = attributes
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\n" || scalar == "\r" || scalar == "\t" || scalar == "\u{c}"
    }

    private static func skip(past end: String, _ rest: inout Substring.UnicodeScalarView) {
        skip(to: end, &rest)
        rest = rest.dropFirst(end.unicodeScalars.count)
    }

    /// - Parameter end: in lower case.
    private static func skip(to end: String, _ rest: inout Substring.UnicodeScalarView) {
        let end = Array(end.unicodeScalars)
        rest = rest.drop { $0 != end[0] }
        while !rest.isEmpty, !rest.prefix(end.count).map(\.lowercase).elementsEqual(end) {
            rest = rest.dropFirst().drop { $0 != end[0] }
        }
    }

    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}"]

    /// With the characters that entities stand for; those of no meaning here stay as they are.
    private static func decoded(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let ampersand = rest.firstIndex(of: "&") {
            result += rest[..<ampersand]
            rest = rest[ampersand...]
            guard let semicolon = rest.prefix(12).firstIndex(of: ";") else {
                result += "&"
                rest = rest.dropFirst()
                continue
            }
            let name = rest[rest.index(after: ampersand)..<semicolon]
            if let character = entities[String(name)] ?? number(name) {
                result += character
                rest = rest[rest.index(after: semicolon)...]
            } else {
                result += "&"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private static func number(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let value = digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}

extension Unicode.Scalar {
    /// Of a letter of ASCII.
    fileprivate var lowercase: Unicode.Scalar {
        ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self
    }
}
