import Crypto
import Foundation
import Storage

/// Reads the six files into the staging tables.
struct RosterStager {
    /// What came of it.
    struct Staged {
        /// SHA-256 over the six files, in hexadecimal.
        var digest = ""
        var rows: [RosterFile: Int] = [:]
        /// Files of which rows may be missing: references into them cannot be judged.
        var incomplete: Set<RosterFile> = []
    }

    let session: Session
    let defects: DefectLog
    let progress: ProgressMeter

    func stage(_ source: RosterSource) throws -> Staged {
        var staged = Staged()
        var digest = SHA256()
        var bytesRead = 0
        let bytesTotal = max(1, source.bytesTotal)
        var people = 0
        for file in RosterFile.allCases {
            var bytesOfFile = 0
            let summary = try read(file, of: source, people: &people) { bytes in
                digest.update(bufferPointer: bytes)
                bytesOfFile += bytes.count
                bytesRead += bytes.count
                progress.report(.reading, Double(bytesRead) / Double(bytesTotal))
            }
            // With its length, so that no two sets of files run together to the same bytes.
            digest.update(data: Data("\(file.name):\(bytesOfFile)\n".utf8))
            staged.rows[file] = summary.rows
            if summary.isIncomplete { staged.incomplete.insert(file) }
        }
        staged.digest = Array(digest.finalize()).hexadecimal
        return staged
    }

    private func read(
        _ file: RosterFile, of source: RosterSource, people: inout Int,
        onBytes: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> RosterFileReader.Summary {
        let missing = RosterFileReader.Summary(rows: 0, isIncomplete: true)
        do {
            guard let stream = try source.stream(file) else { return missing }
            var reader = RosterFileReader(file, from: stream, defects: defects, onBytes: onBytes)
            switch file {
            case .locations: return try stageLocations(&reader)
            case .students, .staff: return try stagePeople(of: file, &reader, numberedAfter: &people)
            case .courses: return try stageCourses(&reader)
            case .classes: return try stageClasses(&reader)
            case .rosters: return try stageRosters(&reader)
            }
        } catch let error as UnreadableFile {
            defects.report(error.code, in: file.name, error.message, remedy: error.remedy)
            return missing
        }
    }
}

// MARK: One file each

extension RosterStager {
    private func stageLocations(_ reader: inout RosterFileReader) throws -> RosterFileReader.Summary {
        var rows = StagingBuffer("staged_location", ["line", "source_id", "name"])
        let summary = try reader.forEachRow { row in
            rows.append(row.line)
            for column in [RosterColumn.locationID, .locationName] { rows.append(row.staged(column)) }
            try rows.endRow(to: session)
        }
        try rows.flush(to: session)
        return summary
    }

    private func stagePeople(
        of file: RosterFile, _ reader: inout RosterFileReader, numberedAfter people: inout Int
    ) throws -> RosterFileReader.Summary {
        let columns: [RosterColumn] = [
            .personID, .firstName, .middleName, .lastName, .emailAddress, .gradeLevel, .personNumber, .sisUsername,
            .passwordPolicy, .locationID,
        ]
        var rows = StagingBuffer(
            "staged_person",
            [
                "n", "file", "line", "source_id", "given_name", "middle_name", "family_name", "email", "grade",
                "person_number", "sis_username", "password_policy", "home",
            ])
        var places = StagingBuffer("staged_place", ["person", "position", "location"])
        var n = people
        let summary = try reader.forEachRow { row in
            n += 1
            rows.append(n)
            rows.append(.string(file.rawValue))
            rows.append(row.line)
            for column in columns { rows.append(row.staged(column)) }
            try rows.endRow(to: session)
            var position = 0
            try row.forEachValue(of: .locationID) { location in
                position += 1
                places.append(n)
                places.append(position)
                places.append(StagedText(location, isSound: !row.hasError))
                try places.endRow(to: session)
            }
        }
        people = n
        try rows.flush(to: session)
        try places.flush(to: session)
        return summary
    }

    private func stageCourses(_ reader: inout RosterFileReader) throws -> RosterFileReader.Summary {
        var rows = StagingBuffer("staged_course", ["line", "source_id", "number", "name", "location"])
        let columns: [RosterColumn] = [.courseID, .courseNumber, .courseName, .locationID]
        let summary = try reader.forEachRow { row in
            rows.append(row.line)
            for column in columns { rows.append(row.staged(column)) }
            try rows.endRow(to: session)
        }
        try rows.flush(to: session)
        return summary
    }

    private func stageClasses(_ reader: inout RosterFileReader) throws -> RosterFileReader.Summary {
        var rows = StagingBuffer(
            "staged_class", ["line", "source_id", "number", "course", "location", "display_name"])
        var instructors = StagingBuffer("staged_instructor", ["class", "position", "person"])
        let columns: [RosterColumn] = [.classID, .classNumber, .courseID, .locationID, .classDisplayName]
        let summary = try reader.forEachRow { row in
            rows.append(row.line)
            for column in columns { rows.append(row.staged(column)) }
            try rows.endRow(to: session)
            var position = 0
            try row.forEachValue(of: .instructorID) { instructor in
                position += 1
                instructors.append(row.line)
                instructors.append(position)
                instructors.append(StagedText(instructor, isSound: !row.hasError))
                try instructors.endRow(to: session)
            }
        }
        try rows.flush(to: session)
        try instructors.flush(to: session)
        return summary
    }

    private func stageRosters(_ reader: inout RosterFileReader) throws -> RosterFileReader.Summary {
        var rows = StagingBuffer("staged_roster", ["line", "roster_id", "class", "student"])
        let summary = try reader.forEachRow { row in
            rows.append(row.line)
            rows.append(row.staged(.rosterID))
            rows.append(row.staged(.classID))
            rows.append(row.staged(.studentID))
            try rows.endRow(to: session)
        }
        try rows.flush(to: session)
        return summary
    }
}

extension RosterRow {
    fileprivate func staged(_ column: RosterColumn) -> StagedText {
        StagedText(self[column], isSound: !hasError)
    }
}
