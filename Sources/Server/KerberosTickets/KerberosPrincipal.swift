/// Whom a ticket of Kerberos is about: `anna@MAPLE.EXAMPLE`.
package struct KerberosPrincipal: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// As the realm writes itself: `MAPLE.EXAMPLE` and `maple.example` are two realms.
    package let realm: String

    package init(name: String, realm: String) {
        self.name = name
        self.realm = realm
    }

    /// Reads the form in which the Kerberos library shows a principal, RFC 1964 §2.1.1: a backslash stands before `@`, `/`
    /// and itself where they belong to a name.
    ///
    /// Nil for a principal of several parts such as `host/pc7.maple.example@MAPLE.EXAMPLE`, which is a service or another
    /// account of a person, for one without a realm, and for one with a control character, which no name of a person
    /// has.
    package init?(displayed text: String) {
        var parts: [[Unicode.Scalar]] = [[]]
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\\":
                // `\n`, `\t`, `\b` and `\0` stand for control characters.
                guard let escaped = rest.popFirst(), !["n", "t", "b", "0"].contains(escaped) else { return nil }
                parts[parts.count - 1].append(escaped)
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
        name = String(String.UnicodeScalarView(parts[0]))
        realm = String(String.UnicodeScalarView(parts[1]))
    }

    package var description: String { "\(name)@\(realm)" }
}
