/// Collects the defects of one import in the order in which they are found.
///
/// A file can have a million defects, so only the first of each kind are kept; the rest are counted.
package final class DefectLog {
    /// Defects of one code in one file.
    package struct Kind: Hashable, Sendable {
        package let file: String
        package let code: Defect.Code
    }

    package private(set) var kept: [Defect] = []
    /// Exact numbers, including defects that were not kept.
    package private(set) var counts: [Kind: Int] = [:]
    package private(set) var errorCount = 0
    package private(set) var warningCount = 0

    /// Warnings grouped by kind and column, in the order in which the first of each group was found: there can be one
    /// in every row, all saying the same.
    package private(set) var warnings: [DefectGroup] = []
    private var places: [Kind: [String?: Int]] = [:]

    private let keptPerKindMax: Int
    private let keptMax: Int

    package init(keptPerKindMax: Int = 1_000, keptMax: Int = 10_000) {
        self.keptPerKindMax = keptPerKindMax
        self.keptMax = keptMax
    }

    /// The number of defects that were counted and not kept.
    package var omittedCount: Int { errorCount + warningCount - kept.count }

    /// Counts a defect; builds and keeps it only while there is room for its kind.
    package func report(
        _ code: Defect.Code, in file: String, line: Int? = nil,
        column: @autoclosure () -> String? = nil, value: @autoclosure () -> String? = nil,
        _ message: @autoclosure () -> String, remedy: @autoclosure () -> String
    ) {
        switch code.severity {
        case .error: errorCount += 1
        case .warning:
            warningCount += 1
            let (kind, column) = (Kind(file: file, code: code), column())
            if let place = places[kind]?[column] {
                warnings[place].count += 1
            } else {
                places[kind, default: [:]][column] = warnings.count
                let example = Defect(
                    code, in: file, line: line, column: column, value: value(), message(), remedy: remedy())
                warnings.append(DefectGroup(example: example, count: 1))
            }
        }
        let count = counts[Kind(file: file, code: code), default: 0] + 1
        counts[Kind(file: file, code: code)] = count
        guard count <= keptPerKindMax, kept.count < keptMax else { return }
        kept.append(
            Defect(code, in: file, line: line, column: column(), value: value(), message(), remedy: remedy())
        )
    }

    /// Counts defects that are not described one by one.
    package func omit(_ code: Defect.Code, in file: String, count: Int) {
        guard count > 0 else { return }
        switch code.severity {
        case .error: errorCount += count
        case .warning:
            warningCount += count
            if let place = places[Kind(file: file, code: code)]?.values.first { warnings[place].count += count }
        }
        counts[Kind(file: file, code: code), default: 0] += count
    }
}

/// A group of similar warnings.
package struct DefectGroup: Codable, Equatable, Sendable {
    /// The first warning of the group.
    package let example: Defect
    package internal(set) var count: Int
}
