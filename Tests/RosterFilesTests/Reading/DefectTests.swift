import Foundation
import Ground
import Testing

@testable import RosterFiles

@Suite struct DefectTests {
    @Test("a defect describes itself in one line")
    func describesItself() {
        let defect = Defect(
            .invalidIdentifier, in: "students.csv", line: 17, column: "person_id", value: "S 1", "No spaces.",
            remedy: "Remove it.")
        let bare = Defect(.missingFile, in: "staff.csv", "The file is missing.", remedy: "Add it.")
        #expect(defect.description == #"students.csv:17 person_id "S 1": No spaces. Remedy: Remove it."#)
        #expect(bare.description == "staff.csv: The file is missing. Remedy: Add it.")
    }

    @Test("its value is shortened, and cannot steer a terminal")
    func printsValues() {
        let long = Defect.printable(String(repeating: "ä", count: 100))
        #expect(long == String(repeating: "ä", count: 79) + "…")
        #expect(Defect.printable(String(repeating: "x", count: 80)).count == 80)
        #expect(Defect.printable("a\u{1B}[2Jb\nc\u{202E}d") == "a·[2Jb·c·d")
        #expect(Defect.printable("e" + String(repeating: "\u{301}", count: 5_000)) == "·")
    }

    @Test("as JSON it has stable names")
    func encodesAsJSON() throws {
        let defect = Defect(
            .byteOrderMark, in: "students.csv", line: 1, "It has one.", remedy: "Remove it.")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let json = try String(decoding: encoder.encode(defect), as: UTF8.self)
        #expect(
            json == #"{"code":"byte_order_mark","file":"students.csv","line":1,"message":"It has one.","#
                + #""remedy":"Remove it.","severity":"warning"}"#)
    }
}
