/// An identifier that numbers people or roster rows, such as `S-000042`.
struct Identifier: Sendable {
    /// What all identifiers of a district begin with; see ``SampleDistrict/mark``.
    let mark: String
    /// An ASCII letter for what is numbered.
    let prefix: UInt8
    /// From 1.
    let number: Int

    static func student(_ index: Int, mark: String = "") -> Self {
        Self(mark: mark, prefix: UInt8(ascii: "S"), number: index + 1)
    }

    static func staffMember(_ index: Int, mark: String = "") -> Self {
        Self(mark: mark, prefix: UInt8(ascii: "T"), number: index + 1)
    }

    static func rosterRow(_ seat: Int, mark: String = "") -> Self {
        Self(mark: mark, prefix: UInt8(ascii: "R"), number: seat + 1)
    }

    func append(to bytes: inout [UInt8]) {
        bytes += mark.utf8
        bytes.append(prefix)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(number: number, width: 6)
    }
}

extension String {
    init(buildingUTF8 build: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        build(&bytes)
        self.init(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a number in decimal, with leading zeros up to `width`.
    mutating func append(number: Int, width: Int = 1) {
        var divisor = 1
        var digits = 1
        while number / divisor >= 10 || digits < width {
            divisor *= 10
            digits += 1
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
