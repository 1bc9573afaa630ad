extension SampleDistrict {
    /// Writes a file to `sink` in chunks of about 64 KiB, each of which ends with a row. A chunk is valid only
    /// during the call that hands it over.
    package func write<Failure: Error>(
        _ file: File,
        to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var rows = RowWriter()
        for column in file.columns {
            rows.cell(column)
        }
        rows.endRow()

        switch file {
        case .locations:
            for school in schools {
                write(school, to: &rows)
                try pass(&rows, to: sink)
            }
        case .students:
            for cohort in cohorts {
                for index in cohort.students {
                    write(student(index, of: cohort), to: &rows)
                    try pass(&rows, to: sink)
                }
            }
        case .staff:
            for school in schools {
                for index in school.staff {
                    write(staffMember(index, of: school), to: &rows)
                    try pass(&rows, to: sink)
                }
            }
        case .courses:
            for cohort in cohorts {
                for subject in 0..<cohort.courseCount {
                    write(course(subject, in: cohort), to: &rows)
                    try pass(&rows, to: sink)
                }
            }
        case .classes:
            for cohort in cohorts {
                for index in 0..<cohort.classCount {
                    write(schoolClass(index, in: cohort), to: &rows)
                    try pass(&rows, to: sink)
                }
            }
        case .rosters:
            for cohort in cohorts {
                for index in 0..<cohort.classCount {
                    writeMemberships(ofClass: index, in: cohort, to: &rows)
                    try pass(&rows, to: sink)
                }
            }
        }
        try pass(&rows, to: sink, isLast: true)
    }

    /// A whole file in memory: for a district of a few thousand people.
    package func contents(of file: File) -> [UInt8] {
        var contents: [UInt8] = []
        write(file) { contents += $0 }
        return contents
    }

    private func pass<Failure: Error>(
        _ rows: inout RowWriter,
        to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void,
        isLast: Bool = false
    ) throws(Failure) {
        guard rows.isFull || isLast else { return }
        // The closure of withUnsafeBytes does not carry a typed error out, so its outcome is returned.
        let outcome = rows.bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try sink(bytes) }
        }
        rows.removeAll()
        try outcome.get()
    }
}
