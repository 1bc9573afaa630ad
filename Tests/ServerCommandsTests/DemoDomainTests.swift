import Foundation
import Testing

@testable import ServerCommands

@Suite struct DemoDomainTests {
    @Test(
        "A start that was ended while the realm was made is made good by the next one",
        .enabled(if: DemoDomain.whyNot() == nil, "The programs of the demo's domain are not here."))
    func startAgain() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent("demo-domain-\(UUID())").path
        defer { try? files.removeItem(atPath: folder) }
        let authority = DemoAuthority(authority: "", authorityFile: "", certificateFile: "/c.pem", keyFile: "/k.pem")
        let keytabs = ["intranet.keytab", "shell.keytab", "lanyard.keytab"].map { "\(folder)/\($0)" }
        func start() throws {
            try DemoDomain(in: folder, userName: "ana").setUp(password: "correct-horse-1", authority: authority)
        }
        func keys() throws -> [Data] { try keytabs.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } }
        try start()
        let first = try keys()
        try start()
        #expect(try keys() == first)
        // As after `kdb5_util create` and the first `ktadd`.
        for path in ["\(folder)/realm/whole"] + keytabs.dropFirst() { try files.removeItem(atPath: path) }
        try start()
        let second = try keys()
        #expect(zip(first, second).allSatisfy { $0 != $1 })
        // As in the middle of `kdb5_util create`.
        for path in ["\(folder)/realm/whole", "\(folder)/realm/stash"] + keytabs { try files.removeItem(atPath: path) }
        try start()
        #expect(try keys() != second)
    }
}
