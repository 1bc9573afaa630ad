import Directory
import Storage

/// A table that refers to people: what `person.data` shows of it, and what erasing a person does with it.
///
/// Both go through one list, ``all``, which a test compares with the schema: whoever adds a table with a person in it
/// cannot forget either. The SQL is in this folder and not beside the values, so that its lists can be read as the answer
/// to "what do you know about my child, and what is left when you erase it?"
package struct PersonTable: Sendable {
    package let name: String
    /// The columns that refer to a person, by id or by what is only theirs.
    package let columns: [String]
    package let shown: Shown
    package let erasing: Erasing

    package enum Shown: Sendable {
        /// `$1` is the person. The names of the columns are those of the answer.
        case section(PersonData.Section.Name, String, [Column])
        /// In a section that another table, or another part of the program, fills.
        case within(PersonData.Section.Name)
        /// Why it is not shown: a sentence.
        case left(String)
    }

    package enum Erasing: Sendable {
        /// Statements with the person as `$1`; what they delete is counted under the name, if there is one.
        case done(String?, [String])
        /// Why it stays: a sentence.
        case kept(String)
    }

    /// A column of a section.
    package struct Column: Sendable {
        package enum Kind: Sendable {
            case text, number, time, flag
        }

        package let name: String
        package let kind: Kind

        static func text(_ name: String) -> Column { Column(name: name, kind: .text) }
        static func number(_ name: String) -> Column { Column(name: name, kind: .number) }
        static func time(_ name: String) -> Column { Column(name: name, kind: .time) }
        static func flag(_ name: String) -> Column { Column(name: name, kind: .flag) }
    }

    init(_ name: String, _ columns: [String], _ shown: Shown, _ erasing: Erasing) {
        self.name = name
        self.columns = columns
        self.shown = shown
        self.erasing = erasing
    }

    /// A table of which all rows of the person are deleted.
    static func rows(
        _ name: String, by column: String = "person_id", _ shown: Shown, called: String? = nil
    ) -> PersonTable {
        PersonTable(
            name, [column], shown, .done(called, ["DELETE FROM \(name) WHERE \(column) = $1"]))
    }

    /// Registered devices end with the account, before the tables are gone through.
    static let devicesName = "registered devices"
    static let lastsMinutes = "It lasts for minutes, while somebody signs in, and has nothing but the account."
    static let isForSearching = "It is made from the account, so that a search finds it, and says nothing else."
    /// How other tables name the person in texts.
    static let auditName = "(SELECT 'person:' || p.id FROM person AS p WHERE p.id = $1)"
    static let reference = #"(SELECT '%"PE-' || p.id || '"%' FROM person AS p WHERE p.id = $1)"#
}

extension PersonTable {
    /// In the order in which erasing goes through them.
    package static let all: [PersonTable] = account + school + signIns + apps + administration + imports + kept
}
