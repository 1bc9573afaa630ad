import CXML

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A page as libxml2 reads it: names and attributes in small letters.
package struct HTMLElement: Sendable {
    package enum Child: Sendable {
        case element(HTMLElement)
        case text(String)
    }

    /// A page with more is none that people are to read: what is made of it would take for ever.
    package static let elementsMax = 20_000
    package static let levelsMax = 64
    private static let wordsMax = 1_000

    package let name: String
    package let attributes: [String: String]
    package let children: [Child]

    /// - Parameter charset: what the server says; nil if it says nothing.
    /// - Returns: nil of what is no page at all, and of one that is larger than ``elementsMax`` or deeper than ``levelsMax``.
    package init?(page: Data, charset: String?) {
        // Without a word from server or page it would be Latin-1.
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

    /// Itself and all below it, in the order of the page.
    package var all: [HTMLElement] { [self] + elements.flatMap(\.all) }

    /// The same, without what people do not get to see in a browser that runs scripts.
    package var visible: [HTMLElement] {
        [self] + elements.filter { !$0.isUnseen }.flatMap(\.visible)
    }

    /// Whether it is no part of the page in a browser that runs scripts.
    package var isUnseen: Bool { name == "noscript" || name == "template" }

    /// What a person reads, in one line of at most 1,000 characters.
    package var words: String {
        var line = Line()
        read(into: &line)
        return line.text
    }

    private struct Line {
        var text = ""
        var count = 0
        var isApart = false
        /// Whether not even a word behind a space fits.
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

    /// Of a script, say.
    package var content: String {
        children.map { child in
            switch child {
            case .text(let text): text
            case .element(let element): " \(element.content) "
            }
        }.joined()
    }

    /// Words of `class`, in small letters.
    package var classes: Set<String> {
        Set((self["class"] ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// Whether people do not see it, as far as the element itself says.
    package var isHidden: Bool {
        let style = (self["style"] ?? "").lowercased().filter { !$0.isWhitespace }
        return self["hidden"] != nil || self["aria-hidden"]?.lowercased() == "true"
            || style.contains("display:none") || style.contains("visibility:hidden")
    }
}
