import Directory

/// One line of a guessed map.
struct IDMapLine: Equatable {
    enum Certainty: String {
        case sure
        case unsure
        /// Nothing in the files resembles the record.
        case unmatched
    }

    let kind: IDMove.Kind
    let old: String
    /// The name of the record.
    let name: String
    let certainty: Certainty
    /// One if it is sure. The best comes first.
    let candidates: [Candidate]

    struct Candidate: Equatable {
        let new: String
        let name: String
        /// What agrees and what differs, for people.
        let why: String
    }
}

/// Writes a map for a spreadsheet, in which somebody fills in the new ids that are missing.
enum IDMapWriter {
    static func write(_ lines: [IDMapProposal.Line], to sink: @escaping ByteSink) throws {
        var writer = CSVWriter(isForSpreadsheet: true, sink: sink)
        for column in IDMapFile.columns + ["certainty", "name", "candidates", "names_of_candidates", "why"] {
            writer.append(column)
        }
        try writer.endRow()
        // What somebody has to look at comes first.
        for certainty in [IDMapProposal.Line.Certainty.unsure, .unmatched, .sure] {
            for line in lines where line.certainty == certainty {
                let isSure = certainty == .sure
                let shown = line.candidates
                writer.append(line.kind.rawValue)
                writer.append(line.old)
                writer.append(isSure ? line.candidates[0].new : "")
                writer.append(certainty.rawValue)
                writer.append(line.name)
                writer.append(isSure ? "" : shown.map(\.new).joined(separator: " | "))
                writer.append(shown.map(\.name).joined(separator: " | "))
                writer.append(shown.map(\.why).joined(separator: " | "))
                try writer.endRow()
            }
        }
        try writer.finish()
    }
}
