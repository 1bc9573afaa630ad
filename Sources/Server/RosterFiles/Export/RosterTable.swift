/// Lays out the rows of one of the six files: the template's columns, and as many further ones (`location_id_2` …) as
/// are needed.
struct RosterTable {
    private let file: RosterFile
    /// The column that is repeated, and how often.
    private let series: RosterColumn?
    private let seriesMax: Int
    private var csv: CSVWriter
    private(set) var rows = 0

    /// Writes the header.
    init(
        _ file: RosterFile, series: RosterColumn? = nil, seriesMax: Int = 1, isForSpreadsheet: Bool,
        to sink: @escaping ByteSink
    ) throws {
        self.file = file
        self.series = series
        self.seriesMax = series.map { min(seriesMax, file.seriesMax(of: $0)) } ?? 1
        csv = CSVWriter(isForSpreadsheet: isForSpreadsheet, sink: sink)
        let further = series.map { series in (1..<max(1, self.seriesMax)).map { "\(series.name)_\($0 + 1)" } } ?? []
        try append(file.columns.filter { $0 != series }.map(\.name), series.map { [$0.name] + further } ?? [])
    }

    /// - Parameters:
    ///   - values: the values of the template's columns without the series, in their order.
    ///   - series: the values of the repeated column; values for which there is no column are left out.
    mutating func append(record values: [String?], series: [String] = []) throws {
        rows += 1
        try append(values, series)
    }

    mutating func finish() throws { try csv.finish() }

    /// Apple's templates put further instructors right after the first one, and further locations at the end.
    private mutating func append(_ values: [String?], _ seriesValues: [String]) throws {
        let isInline = series == .instructorID
        var rest = values[...]
        func seriesValue(_ index: Int) -> String { index < seriesValues.count ? seriesValues[index] : "" }
        for column in file.columns {
            if column == series {
                csv.append(seriesValue(0))
                if isInline { for index in 1..<max(1, seriesMax) { csv.append(seriesValue(index)) } }
            } else {
                csv.append((rest.popFirst() ?? nil) ?? "")
            }
        }
        if series != nil, !isInline { for index in 1..<max(1, seriesMax) { csv.append(seriesValue(index)) } }
        try csv.endRow()
    }
}
