import RosterFiles
import Testing

@testable import ServerHTTP
@testable import TestServers

@Suite struct DefectFileTests {
    @Test(
        "what stood in the files makes no formula of a cell", arguments: ["=HYPERLINK(0)", "+1", "-1", "@A1"])
    func formulas(_ value: String) throws {
        let defect = Defect(
            .formula, in: "students.csv", line: 2, column: "first_name", value: value,
            "The value begins like a formula.",
            remedy: "Write it otherwise.")
        let text = String(decoding: try DefectFile.bytes([defect]), as: UTF8.self)
        let row = try #require(text.split(whereSeparator: \.isNewline).last)
        let cells = row.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingPrefix("\"") }
        #expect(cells.count == 7)
        #expect(cells[4].hasPrefix("'\(value)"))
    }

    @Test("the last row says how many defects were found and are not listed")
    func omitted() throws {
        let defect = Defect(
            .formula, in: "students.csv", line: 2, "The value begins like a formula.", remedy: "Write it otherwise.")
        func rows(omitting omitted: Int) throws -> [Substring] {
            String(decoding: try DefectFile.bytes([defect], omitting: omitted), as: UTF8.self)
                .split(whereSeparator: \.isNewline)
        }
        #expect(try rows(omitting: 0).count == 2)
        let cut = try rows(omitting: 1_234)
        #expect(cut.count == 3 && cut[2].hasPrefix(",,,,,\"1234 more were found."), "\(cut)")
    }
}
