import ArgumentParser
import CommandOutput
import Foundation
import SampleDistrict

struct SampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Write the six CSV files of a made-up district, to try an import or to measure one.",
        discussion: "The same numbers give the same files on every machine. Without numbers it is the demo's district.")

    @Option(help: "How many people, 100 or more, about one in sixteen of them staff.")
    var people: Int?

    @Option(help: "How many classes.")
    var classes: Int?

    @Option(help: "How many pupils each class has.")
    var members = 25

    @Option(help: "Another seed gives other people.")
    var seed: UInt64 = 1

    @Option(help: "The folder to write to; made if it is not there.", completion: .directory)
    var out: String

    func validate() throws {
        guard let people else { return }
        guard (100...10_000_000).contains(people) else {
            throw ValidationError("--people is from 100 to 10000000.")
        }
        // Pupils are spread evenly over all grades of all schools, so that this many are in one grade.
        let membersMax = min(people / 8, 125)
        guard (1...membersMax).contains(members) else {
            throw ValidationError("--members is from 1 to \(membersMax) with \(people) people.")
        }
        guard (1...people).contains(classes ?? 1) else { throw ValidationError("--classes is from 1 to \(people).") }
    }

    func run() throws {
        let district =
            if let people {
                SampleDistrict(
                    named: "Sample District", seed: seed, people: people, classes: classes ?? max(1, people / 20),
                    membersPerClass: members)
            } else {
                SampleDistrict.maple
            }
        try Folder.make(out)
        for file in SampleDistrict.File.allCases {
            let path = "\(out)/\(file.name)"
            guard FileManager.default.createFile(atPath: path, contents: nil),
                let handle = FileHandle(forWritingAtPath: path)
            else { throw Failure("\(path) cannot be written.") }
            try district.write(file) { try handle.write(contentsOf: Data($0)) }
            try handle.close()
        }
        print(
            "\(district.personCount) people, \(district.classCount) classes, \(district.membershipCount) memberships in \(out)"
        )
    }
}
