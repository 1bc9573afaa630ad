import Ground
import ServerPages

/// What narrows a list of the console. It stands in the address, so that a view can be sent to a colleague, and goes along
/// with the list's bulk actions, which lead back to the same view.
package protocol ListQuery: Sendable {
    static var section: ConsoleSection { get }
    /// What the list is called.
    static var heading: Sentence { get }

    /// As fields of a form, and of the address.
    var fields: [(String, String)] { get }
    /// Whether nothing is asked for, so that the list is the one that the section begins with.
    var isEmpty: Bool { get }
    /// Whether it leaves out enough that something may be done to the whole list at once.
    var isNarrowed: Bool { get }
    /// The number after which the page begins; nil for the first page.
    var after: Int64? { get set }
}

extension ListQuery {
    package var isNarrowed: Bool { !isEmpty }

    /// The address of the list that is narrowed so.
    package func path(after: Int64?) -> String {
        var fields = self.fields.map { FormField($0.0, $0.1) }
        if let after { fields.append(FormField("after", "\(after)")) }
        let path = Self.section.path
        return fields.isEmpty ? path : "\(path)?\(FormEncoding.encode(fields))"
    }

    /// Where the list's bulk actions are sent.
    package static var bulkPath: String { "\(section.path)/bulk" }

    /// Where the list's bulk actions are sent, with what narrows the list.
    var bulkTarget: ConsoleForm.Target { ConsoleForm.Target(Self.bulkPath, fields) }

    /// Whether the list has a box for all of it. The box is missing where the list has one page only, since each row has a
    /// box of its own, and where little narrows the list: an act on the whole organization would be a mistake.
    /// - Parameter next: the number after which the next page begins; nil on the last page.
    func offersWholeList(next: Int64?) -> Bool { isNarrowed && (next != nil || after != nil) }
}
