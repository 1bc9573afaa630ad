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

    package let name: String
    package let attributes: [String: String]
    package let children: [Child]

    /// - Parameter charset: what the server says; nil if it says nothing.
    /// - Returns: nil of what is no page at all.
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
        self.init(root, depth: 0)
    }

    private init(_ node: xmlNodePtr, depth: Int) {
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
        var child = depth < 400 ? node.pointee.children : nil
        while let current = child {
            switch current.pointee.type {
            case XML_ELEMENT_NODE: children.append(.element(HTMLElement(current, depth: depth + 1)))
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

    /// What a person reads, in one line.
    package var words: String {
        let raw = rawText(hiding: ["script", "style", "noscript", "svg", "template"])
        return raw.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Of a script, say.
    package var content: String { rawText(hiding: []) }

    private func rawText(hiding hidden: Set<String>) -> String {
        children.map { child in
            switch child {
            case .text(let text): text
            case .element(let element):
                hidden.contains(element.name) ? "" : " \(element.rawText(hiding: hidden)) "
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
