import Directory

/// Why nothing can be imported, an import not be undone, or a roster not be written.
package enum RosterImportError: Error, Equatable {
    /// The organization is a business, and the files are a school's.
    case notASchool(String)
    /// The organization is a business, and the files are said to be those of a school.
    case noSchools(String)
    /// The organization has had no import.
    case nothingToUndo
    /// All its imports are undone already; the id is that of the newest.
    case allUndone(importID: Int)
    case alreadyUndone(importID: Int)
    /// A later import that stands has touched the same records, and must be undone first: the newest such import, with
    /// some of the records.
    case touchedLater(importID: Int, [TouchedRecord])
    /// What undoes the import is not kept any more: it is too old, or too many came after it.
    case forgotten(importID: Int)
    /// Since the import an id map has moved records to other ids, and it still stands.
    case builtOn(importID: Int, map: Int64)
    case unknownTerm(String)
    case closedTerm(String)
    /// The term is of one location, and the files are not of that location alone.
    case termOfOneLocation(String)
    /// No files can be read at the place.
    case unreadable([Defect])
    /// There is no such location any more.
    case noSuchSchool(LocationID)
    /// The location has no id in files, so they cannot name it.
    case schoolWithoutID(String)
    /// The reason completes the sentence "The files cannot be written: …".
    case cannotWrite(path: String, reason: String)
}

extension RosterImportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notASchool(let name):
            """
            \(name) is a business. The six files are a school's: pupils, classes, teachers. Of a business, import \
            staff.csv alone.
            """
        case .noSchools(let name): "\(name) is a business, and has no schools: `--school` is not for it."
        case .nothingToUndo: "There is no import to undo."
        case .allUndone(let id): "All imports up to \(id) are undone already."
        case .alreadyUndone(let id): "Import \(id) is undone already."
        case .touchedLater(let id, let records): Self.touchedLater(id, records)
        case .forgotten(let id):
            "Import \(id) cannot be undone any more: what that needs is kept for \(ImportMemory.days) days, and for \(ImportMemory.countMax) imports at most."
        case .builtOn(let id, let map):
            "Import \(id) cannot be undone, because its records have other ids since id map \(map). Take the map back first: `lanyard change list` has its number."
        case .unknownTerm(let name): "There is no term “\(name)”."
        case .closedTerm(let name): "The term \(name) is closed."
        case .termOfOneLocation(let name):
            "The term \(name) is of one location, and the files are not of that location alone."
        case .unreadable(let defects): defects.map { "\($0)" }.joined(separator: "\n")
        case .noSuchSchool(let id): "There is no location LO:\(id.rawValue), or it is archived."
        case .schoolWithoutID(let name):
            """
            \(name) has no location_id, so files cannot name it. Add the school with one: \
            `lanyard org location add … --location-id …`.
            """
        case .cannotWrite(let path, let reason): "\(path) cannot be written: \(reason)."
        }
    }

    private static func touchedLater(_ importID: Int, _ records: [TouchedRecord]) -> String {
        let newest = records.first?.importID ?? importID
        let names = records.map(\.description) + (records.count < LaterTouches.countMax ? [] : ["and perhaps others"])
        return """
            Import \(importID) cannot be undone as long as import \(newest) stands, which has touched what it had \
            changed: \(names.joined(separator: ", ")). Undo import \(newest) first.
            """
    }
}
