/// Whom a ticket of Kerberos is about: `anna@MAPLE.EXAMPLE`.
package struct KerberosPrincipal: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// As the realm writes itself: `MAPLE.EXAMPLE` and `maple.example` are two realms.
    package let realm: String

    private static let bytesMax = 512

    package init(name: String, realm: String) {
        self.name = name
        self.realm = realm
    }

    /// Reads the form in which the Kerberos library shows a principal, RFC 1964 §2.1.1: a backslash stands before `@`, `/`
    /// and itself where they belong to a name.
    ///
    /// Nil for a principal of several parts such as `host/pc7.maple.example@MAPLE.EXAMPLE`, which is a service or another
    /// account of a person; for a name with an `@` of its own, which is a second name of somebody; for an account of a computer;
    /// and for what is too long, has no realm, or has a control character.
    package init?(displayed text: String) {
        var parts: [[Unicode.Scalar]] = [[]]
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\":
                // `\n`, `\t`, `\b` and `\0` stand for control characters.
                guard rest.popFirst() == "\\" else { return nil }
                parts[parts.count - 1].append("\\")
            case "/" where parts.count == 1: return nil
            case "@":
                guard parts.count == 1 else { return nil }
                parts.append([])
            default:
                guard scalar.value >= 0x20, scalar.value != 0x7f else { return nil }
                parts[parts.count - 1].append(scalar)
            }
        }
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        // Accounts of computers end in a dollar sign, and no realm or name of a person is longer than these.
        guard parts[0].last != "$", text.utf8.count <= Self.bytesMax else { return nil }
        name = String(String.UnicodeScalarView(parts[0]))
        realm = String(String.UnicodeScalarView(parts[1]))
    }

    package var description: String { "\(name)@\(realm)" }
}
