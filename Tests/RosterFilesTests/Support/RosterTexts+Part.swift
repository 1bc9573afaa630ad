@testable import RosterFiles

extension RosterTexts {
    /// What the information system of one school would write: its own rows, with it as the only place of its people. No
    /// value may have a comma.
    func part(of location: String) -> RosterTexts {
        let classes = rows(of: .classes, at: location).map { $0[0] }
        var part: RosterTexts = [:]
        for file in RosterFile.allCases {
            let header = cells(of: file)[0]
            let places = places(in: header)
            let rows =
                file == .rosters
                ? cells(of: file).dropFirst().filter { classes.contains($0[1]) } : rows(of: file, at: location)
            let lines = ([header] + rows).enumerated().map { number, row in
                row.indices.filter { !places.dropFirst().contains($0) }
                    .map { number > 0 && $0 == places.first ? location : row[$0] }.joined(separator: ",")
            }
            part[file] = lines.map { "\($0)\n" }.joined()
        }
        return part
    }

    private func rows(of file: RosterFile, at location: String) -> [[String]] {
        let cells = cells(of: file)
        let places = places(in: cells[0])
        return cells.dropFirst().filter { row in places.contains { row[$0] == location } }
    }

    /// The cells of each line, the header first.
    func cells(of file: RosterFile) -> [[String]] {
        self[file, default: ""].split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }

    private func places(in header: [String]) -> [Int] {
        header.indices.filter { header[$0].hasPrefix(RosterColumn.locationID.name) }
    }
}
