import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PropertyListValue {
    /// Why bytes are not a property list.
    public enum ReadingError: Error, Equatable, CustomStringConvertible {
        case empty
        case tooLarge(bytes: Int)
        case neitherXMLNorBinary
        case broken(String)

        public var description: String {
            switch self {
            case .empty: "This is empty."
            case .tooLarge(let bytes):
                "This has \(bytes) bytes; a profile has at most \(PropertyListValue.bytesMax)."
            case .neitherXMLNorBinary:
                "This is no property list: it begins neither as XML nor with “bplist”."
            case .broken(let reason):
                "This property list cannot be read: \(reason)"
            }
        }

        var remedy: String {
            switch self {
            case .tooLarge: "Make several profiles of it."
            case .empty, .neitherXMLNorBinary: "Write it as XML, with a root <dict>."
            case .broken: "Mend it there, or write it anew with `lanyard-sso profile build`."
            }
        }
    }

    /// The maximum size in bytes. A profile with 10 000 URLs has about 1 MiB.
    public static let bytesMax = 8 << 20

    /// Reads a property list, XML or binary.
    /// - Throws: `ReadingError`
    public init(reading data: Data) throws(ReadingError) {
        guard !data.isEmpty else { throw .empty }
        guard data.count <= Self.bytesMax else { throw .tooLarge(bytes: data.count) }
        if data.starts(with: Data("bplist".utf8)) {
            self = try BinaryPropertyList.read(data)
        } else if data.drop(while: { $0 <= 0x20 || $0 >= 0x80 }).first == UInt8(ascii: "<") {
            self = try XMLPropertyList.read(data)
        } else {
            throw .neitherXMLNorBinary
        }
    }

    /// The limit for nested values: reading them, here and in what follows, is recursive and takes room on the stack.
    static let depthMax = 64

    /// Extensions get this data as JSON, which has neither infinities nor NaN.
    init(real: Double) throws(ReadingError) {
        guard real.isFinite else { throw .broken("it has a real that is infinite, or no number.") }
        self = .real(real)
    }
}

extension PropertyListValue.ReadingError {
    static let tooDeep = Self.broken("it is nested too deeply.")
    static let otherType = Self.broken("it holds a value of a type that no profile has.")
}

extension PropertyListValue {
    /// The value as an XML property list with sorted keys: the same bytes for the same value.
    public var xml: Data {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        write(to: &text, indentation: "")
        return Data((text + "</plist>\n").utf8)
    }

    private func write(to text: inout String, indentation: String) {
        text += indentation
        switch self {
        case .string(let value): text += "<string>\(value.escapedForXML)</string>\n"
        case .boolean(let value): text += value ? "<true/>\n" : "<false/>\n"
        case .integer(let value): text += "<integer>\(value)</integer>\n"
        case .real(let value): text += "<real>\(value)</real>\n"
        case .date(let value): text += "<date>\(value.formatted(.iso8601))</date>\n"
        case .data(let value): text += "<data>\(value.base64EncodedString())</data>\n"
        case .array(let values) where values.isEmpty: text += "<array/>\n"
        case .array(let values):
            text += "<array>\n"
            for value in values {
                value.write(to: &text, indentation: indentation + "\t")
            }
            text += "\(indentation)</array>\n"
        case .dictionary(let entries) where entries.isEmpty: text += "<dict/>\n"
        case .dictionary(let entries):
            text += "<dict>\n"
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                text += "\(indentation)\t<key>\(key.escapedForXML)</key>\n"
                value.write(to: &text, indentation: indentation + "\t")
            }
            text += "\(indentation)</dict>\n"
        }
    }
}

extension String {
    fileprivate var escapedForXML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
