import CommandOutput
import ExtensionVault
import Foundation
import Testing

@testable import DeviceCommands

@Suite("The doctor of a device")
struct DoctorTests {
    @Test("The time of a server is read in the form that servers write, and in no other")
    func time() {
        #expect(ServerExamination.time("Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Now 1994 08:49:37 GMT",
        ] {
            #expect(ServerExamination.time(text) == nil)
        }
    }

    @Test(
        "A clock is off by what the duration of the question cannot explain",
        arguments: [
            (0, 5, 2, 0), (0, 0, 0, 0), (100, 101, 99, 0), (100, 101, 40, 59), (100, 101, 161, -60),
        ])
    func difference(_ earlier: Int, _ later: Int, _ said: Int, _ ahead: Int) {
        let times = [earlier, later, said].map { Date(timeIntervalSince1970: TimeInterval($0)) }
        #expect(ServerExamination.difference(from: times[0], to: times[1], said: times[2]) == ahead)
    }

    @Test(
        "Each state of the key has a finding; what is wrong has a remedy",
        arguments: [
            (VaultKey.Found.file("/key", isOpenToOthers: false), DoctorFinding.Status.ok, "/key"),
            (.file("/key", isOpenToOthers: true), .problem, "Others can read"),
            (.keyring(.open), .ok, "is open"), (.keyring(.locked), .problem, "is locked"),
            (.keyring(.absent), .problem, "no keyring answers"), (.nothing(.open), .ok, "will get the key"),
            (.nothing(.locked), .warning, "is locked"), (.nothing(.absent), .ok, "will be in a file"),
        ])
    func keyring(_ found: VaultKey.Found, _ status: DoctorFinding.Status, _ words: String) {
        let finding = KeyringExamination.finding(found, "org.lanyard.openid.extension")
        #expect(finding.status == status && finding.message.contains(words))
        #expect((finding.remedy == nil) == (status == .ok))
    }

    @Test("Warnings alone are well")
    func report() {
        let fine = DoctorFinding.ok("a", "Fine.")
        let odd = DoctorFinding.warning("b", "Odd.", remedy: "Look.")
        let wrong = DoctorFinding.problem("c", "Wrong.", remedy: "Mend it.")
        #expect(DoctorReport([fine]).text.hasSuffix("All is well."))
        #expect(DoctorReport([fine, odd]).isWell && DoctorReport([fine, odd]).text.contains("→ Look."))
        #expect(!DoctorReport([fine, odd, wrong]).isWell)
        #expect(DoctorReport([odd, wrong]).text.hasSuffix("Problems: 1. Warnings: 1."))
    }
}
