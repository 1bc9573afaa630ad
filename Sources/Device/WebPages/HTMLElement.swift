import CXML

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An element of an HTML page, as libxml2 parses it. The names of elements and attributes are in lower case.
package struct HTMLElement: Sendable {
    package enum Child: Sendable {
        case element(HTMLElement)
        case text(String)
    }

    /// The most elements of a page. Pages for people have fewer, and larger ones would take too long.
    package static let elementsMax = 20_000
    /// The deepest nesting of a page's elements.
    package static let levelsMax = 64
    /// The most attributes of a tag.
    package static let attributesMax = 5_000
    /// The most characters of ``words``.
    private static let wordsMax = 1_000

    package let name: String
    package let attributes: [String: String]
    package let children: [Child]

    /// Parses a page. The element is its root.
    /// - Parameter charset: the character encoding that the server names; nil if it names none.
    /// - Returns: nil if libxml2 finds no element, or if the page has more than ``elementsMax`` elements, more than
    ///   ``levelsMax`` levels or a tag with more than ``attributesMax`` attributes.
    package init?(page: Data, charset: String?) {
        guard !Self.hasEndlessTag(page) else { return nil }
        // If neither server nor page names an encoding, libxml2 takes Latin-1, which is wrong for most pages.
        let isUnicode = String(validating: page, as: UTF8.self) != nil
        let encoding = charset ?? (isUnicode ? "utf-8" : nil)
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
            | HTML_PARSE_NONET.rawValue
        let document = page.withUnsafeBytes { bytes -> htmlDocPtr? in
            guard let start = bytes.baseAddress, let count = Int32(exactly: bytes.count) else { return nil }
            return htmlReadMemory(start.assumingMemoryBound(to: CChar.self), count, nil, encoding, Int32(options))
        }
        guard let document else { return nil }
        defer { xmlFreeDoc(document) }
        guard let root = xmlDocGetRootElement(document) else { return nil }
        var count = 0
        guard Self.isReadable(root, level: 1, count: &count) else { return nil }
        self.init(root)
    }

    /// Whether a tag has so many attributes that parsing it would take too long: libxml2 compares each attribute of a
    /// tag with all before it.
    ///
    /// Attributes are counted roughly, by values in quotes and by blanks. As in libxml2, a value ends at its quote or,
    /// without one, at a blank or the end of the tag.
    private static func hasEndlessTag(_ page: Data) -> Bool {
        var isTag = false
        var quote: UInt8?
        var before = UInt8(ascii: " ")
        var count = 0
        for byte in page {
            let isBlank = byte == 0x20 || (0x09...0x0d).contains(byte)
            if let open = quote {
                if byte == open { quote = nil }
            } else if !isTag {
                isTag = before == UInt8(ascii: "<") && (0x41...0x5a).contains(byte & 0xdf)
                count = 0
            } else if byte == UInt8(ascii: ">") {
                isTag = false
            } else if before == UInt8(ascii: "="), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
                count += 1
            } else if isBlank {
                count += 1
            }
            // There may be blanks between `=` and the value.
            if !isBlank || before != UInt8(ascii: "=") || quote != nil { before = byte }
            guard count <= 2 * attributesMax else { return true }
        }
        return false
    }

    private static func isReadable(_ node: xmlNodePtr, level: Int, count: inout Int) -> Bool {
        count += 1
        guard level <= levelsMax, count <= elementsMax else { return false }
        var child = node.pointee.children
        while let current = child {
            if current.pointee.type == XML_ELEMENT_NODE, !isReadable(current, level: level + 1, count: &count) {
                return false
            }
            child = current.pointee.next
        }
        return true
    }

    private init(_ node: xmlNodePtr) {
        name = Self.text(node.pointee.name).lowercased()
        var attributes: [String: String] = [:]
        var attribute = node.pointee.properties
        while let current = attribute {
            let value = xmlNodeListGetString(node.pointee.doc, current.pointee.children, 1)
            attributes[Self.text(current.pointee.name).lowercased()] = value.map { Self.text($0) } ?? ""
            if let value { lanyard_xml_free(value) }
            attribute = current.pointee.next
        }
        self.attributes = attributes
        var children: [Child] = []
        var child = node.pointee.children
        while let current = child {
            switch current.pointee.type {
            case XML_ELEMENT_NODE: children.append(.element(HTMLElement(current)))
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE, XML_ENTITY_REF_NODE:
                if let content = current.pointee.content { children.append(.text(Self.text(content))) }
            default: break
            }
            child = current.pointee.next
        }
        self.children = children
    }

    private static func text(_ pointer: UnsafePointer<xmlChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }

    package subscript(attribute: String) -> String? { attributes[attribute] }

    package var elements: [HTMLElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// This element and all below it, in the order of the page.
    package var all: [HTMLElement] { [self] + elements.flatMap(\.all) }

    /// As ``all``, without elements that a browser that runs scripts does not show, see ``isUnseen``.
    package var visible: [HTMLElement] {
        [self] + elements.filter { !$0.isUnseen }.flatMap(\.visible)
    }

    /// Whether a browser that runs scripts ignores the element and its content.
    package var isUnseen: Bool { name == "noscript" || name == "template" }

    /// The text that a person reads, in one line of at most 1,000 characters.
    package var words: String {
        var line = Line()
        read(into: &line)
        return line.text
    }

    private struct Line {
        var text = ""
        var count = 0
        var isApart = false
        /// Whether a space and one more character do not fit any more.
        var isFull: Bool { count > HTMLElement.wordsMax - 2 }

        mutating func append(_ more: String) {
            for character in more {
                if character.isWhitespace {
                    isApart = true
                    continue
                }
                guard !isFull else { return }
                if isApart, count > 0 {
                    text.append(" ")
                    count += 1
                }
                isApart = false
                text.append(character)
                count += 1
            }
        }
    }

    private func read(into line: inout Line) {
        for child in children where !line.isFull {
            switch child {
            case .text(let text): line.append(text)
            case .element(let element):
                line.isApart = true
                if !["script", "style", "svg"].contains(element.name), !element.isUnseen { element.read(into: &line) }
                line.isApart = true
            }
        }
    }

    /// All text in the element, also if it is not for people, such as a script.
    package var content: String {
        children.map { child in
            switch child {
            case .text(let text): text
            case .element(let element): " \(element.content) "
            }
        }.joined()
    }

    /// The words of the attribute `class`, in lower case.
    package var classes: Set<String> {
        Set((self["class"] ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// Whether the element's own attributes hide it from people. Style sheets and parents are not considered.
    package var isHidden: Bool {
        let style = (self["style"] ?? "").lowercased().filter { !$0.isWhitespace }
        return self["hidden"] != nil || self["aria-hidden"]?.lowercased() == "true"
            || style.contains("display:none") || style.contains("visibility:hidden")
    }
}
