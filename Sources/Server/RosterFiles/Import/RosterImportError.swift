/// Why nothing can be imported, an import not be undone, or a roster not be written.
package enum RosterImportError: Error, Equatable {
    /// The organization is a business.
    case notASchool(String)
    /// The organization has had no import.
    case nothingToUndo
    /// Its last import was undone already; only the last one can be.
    case alreadyUndone(importID: Int)
    /// The reason completes the sentence "The files cannot be written: …".
    case cannotWrite(path: String, reason: String)
}

extension RosterImportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notASchool(let name): "\(name) is a business. The six files are a school's: pupils, classes, teachers."
        case .nothingToUndo: "There is no import to undo."
        case .alreadyUndone(let id): "Import \(id), the last one, was undone already; earlier ones cannot be undone."
        case .cannotWrite(let path, let reason): "\(path) cannot be written: \(reason)."
        }
    }
}
