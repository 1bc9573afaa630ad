/// Turns the rows of each file into rows of the staging tables.
extension RosterStager {
    func stageLocations(_ reader: inout RosterFileReader) throws -> RosterFileReader.Summary {
        var rows = StagingBuffer("staged_location", ["line", "source_id", "name"])
        let summary = try reader.forEachRow { row in
            rows.append(row.line)
            for column in [RosterColumn.locationID, .locationName] { rows.append(row.staged(column)) }
            try rows.endRow(to: session)
        }
        try rows.flush(to: session)
        return summary
    }

    func stagePeople(
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

    func stageCourses(_ reader: inout RosterFileReader) throws -> RosterFileReader.Summary {
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

    func stageClasses(_ reader: inout RosterFileReader) throws -> RosterFileReader.Summary {
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

    func stageRosters(
        _ reader: inout RosterFileReader, idsAscend: inout Bool
    ) throws -> RosterFileReader.Summary {
        var rows = StagingBuffer("staged_roster", ["line", "roster_id", "class", "student"])
        var last: [UInt8] = []
        var ascend = true
        let summary = try reader.forEachRow { row in
            rows.append(row.line)
            rows.append(row.staged(.rosterID))
            rows.append(row.staged(.classID))
            rows.append(row.staged(.studentID))
            try rows.endRow(to: session)
            if ascend {
                // Shorter ids come first, so that `R-9` is before `R-10`. Any total order would do.
                let id = row[.rosterID]
                ascend = last.count < id.count || (last.count == id.count && last.lexicographicallyPrecedes(id))
                last.replaceSubrange(0..., with: id)
            }
        }
        idsAscend = ascend
        try rows.flush(to: session)
        return summary
    }
}

extension RosterRow {
    fileprivate func staged(_ column: RosterColumn) -> StagedText {
        StagedText(self[column], isSound: !hasError)
    }
}
