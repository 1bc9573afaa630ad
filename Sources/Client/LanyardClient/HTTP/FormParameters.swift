/// Names and values for a query string or a form body, in order.
struct FormParameters: ExpressibleByDictionaryLiteral {
    private var pairs: [(name: String, value: String)]

    /// Leaves out parameters without a value.
    init(dictionaryLiteral elements: (String, String?)...) {
        pairs = elements.compactMap { name, value in value.map { (name, $0) } }
    }

    /// `name=value&…`. A space becomes `%20`, which both places understand; `+` does not everywhere.
    var encoded: String {
        pairs.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }

    /// The URL with these parameters as its query, unchanged if there are none.
    func appended(to url: String) -> String {
        pairs.isEmpty ? url : "\(url)?\(encoded)"
    }
}

extension String {
    /// All but the unreserved characters of RFC 3986 section 2.3 escaped, so that it fits into a query, a form and a
    /// path segment alike.
    package var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
