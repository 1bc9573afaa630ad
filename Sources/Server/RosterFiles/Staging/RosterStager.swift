import Directory
import Foundation
import Storage

/// Reads the files into the staging tables.
struct RosterStager {
    /// The result of reading.
    struct Staged {
        /// See ``RosterDigest``.
        var digest = ""
        var rows: [RosterFile: Int] = [:]
        /// Files of which rows may be missing, so that references into them cannot be checked.
        var incomplete: Set<RosterFile> = []
        /// Whether classes.csv has the column of display names. If not, classes keep theirs.
        var hasDisplayNames = false
        /// Whether each `roster_id` is greater than the one before, as in most exports. Then no id can occur twice.
        var rosterIDsAscend = true
    }

    let session: DatabaseSession
    /// What the organization is, which says what files there are.
    var kind = Organization.Kind.school
    let defects: DefectLog
    let progress: ProgressMeter

    func stage(_ source: RosterSource) throws -> Staged {
        var staged = Staged()
        var digest = RosterDigest()
        var bytesRead = 0
        let bytesTotal = max(1, source.bytesTotal)
        var people = 0
        for file in RosterFile.files(of: kind) {
            let summary = try read(file, of: source, people: &people, rosterIDsAscend: &staged.rosterIDsAscend) {
                bytes in
                digest.update(bytes)
                bytesRead += bytes.count
                progress.report(.reading, Double(bytesRead) / Double(bytesTotal))
            }
            digest.end(file)
            staged.rows[file] = summary.rows
            if summary.isIncomplete { staged.incomplete.insert(file) }
            if summary.hasDisplayNames { staged.hasDisplayNames = true }
        }
        staged.digest = digest.finalized()
        return staged
    }

    private func read(
        _ file: RosterFile, of source: RosterSource, people: inout Int, rosterIDsAscend: inout Bool,
        onBytes: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> RosterFileReader.Summary {
        let missing = RosterFileReader.Summary(rows: 0, isIncomplete: true)
        do {
            guard let stream = try source.stream(file) else { return missing }
            var reader = RosterFileReader(
                file, from: stream, optional: file.columnsLeftOut(by: kind), defects: defects, onBytes: onBytes)
            switch file {
            case .locations: return try stageLocations(&reader)
            case .students, .staff: return try stagePeople(of: file, &reader, numberedAfter: &people)
            case .courses: return try stageCourses(&reader)
            case .classes: return try stageClasses(&reader)
            case .rosters: return try stageRosters(&reader, idsAscend: &rosterIDsAscend)
            }
        } catch let error as UnreadableFile {
            defects.report(error.code, in: file.name, error.message, remedy: error.remedy)
            return missing
        }
    }
}
