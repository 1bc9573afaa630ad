import Foundation
import NIOCore
import NIOPosix
import SingleSignOn
import Testing

@testable import SingleSignOnBroker

/// How the broker reads the process that fetches a file. A shell stands in for the process.
@Suite struct FetchingProcessTests {
    private func fetch(_ script: String) async -> Result<AssociationFile, AssociationFileFailure> {
        let process = process(["/bin/sh", "-c", script])
        return await process.fetch(.test("authsrv:*.acme.test?mode=managed"))
    }

    private func process(
        _ command: [String], rules: AssociationRules = AssociationRules(), lines: LogLines = LogLines()
    ) -> FetchingProcess {
        FetchingProcess(command, rules: rules, on: MultiThreadedEventLoopGroup.singleton.any(), logger: lines.logger)
    }

    @Test func `whoever is believed without a certificate is logged`() async throws {
        let lines = LogLines()
        var rules = AssociationRules()
        for heeds in [false, true] {
            rules.heedsDeveloperMode = heeds
            let process = process(["/bin/true"], rules: rules, lines: lines)
            for mode in ["", "?mode=managed"] + (heeds ? [] : ["?mode=developer"]) {
                _ = await process.fetch(.test("authsrv:id.acme.test\(mode)"))
            }
            #expect(lines.all.isEmpty)
        }
        for mode in ["developer", "developer+managed"] {
            let lines = LogLines()
            _ = await process(["/bin/true"], rules: rules, lines: lines).fetch(
                .test("authsrv:id.acme.test?mode=\(mode)"))
            #expect(lines.all.count == 1 && lines.all.first?.contains("without a look at its certificate") == true)
        }
    }

    @Test func `the process says what the domain has said`() async throws {
        let apps = await fetch(#"printf '{"apps":{"_0":["A1B2C3D4E5.app"]}}'"#)
        #expect(try apps.get().apps == ["A1B2C3D4E5.app"])
        #expect(await fetch(#"printf '{"denied":{"_0":"no"}}'"#) == .failure(.denied("no")))
        #expect(await fetch(#"printf '{"unreachable":{"_0":"later"}}'"#) == .failure(.unreachable("later")))
    }

    @Test func `the process is told the entry, and nothing is read into it by a shell`() async throws {
        let answer = await fetch(#"printf '{"denied":{"_0":"%s"}}' "$0""#)
        #expect(answer == .failure(.denied("authsrv:*.acme.test?mode=managed")))
    }

    @Test(arguments: [
        "exit 1", "kill -9 $$", "printf nonsense", #"printf '{"apps":'"#, "exec yes", "exec 1>&-; exec sleep 60",
    ])
    func `a process that ends, crashes, talks nonsense or without end proves nothing`(_ script: String) async throws {
        guard case .failure(.unreachable(let reason)) = await fetch(script) else {
            Issue.record("it counts")
            return
        }
        #expect(reason == "acme.test could not be asked: the process for it ended without an answer")
    }

    @Test(.timeLimit(.minutes(1)))
    func `a process that has nothing more to say is not left running`() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "fetching-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        _ = await fetch("echo $$ > \(place.path); exec 1>&-; exec sleep 3600")
        let number = try #require(Int32(String(contentsOf: place, encoding: .utf8).dropLast()))
        let process = ProcessDescriptor(number)
        while process?.isAlive == true { await Task.yield() }
    }

    @Test func `a program that is not there proves nothing`() async throws {
        let process = process(["/nowhere/program"])
        guard case .failure(.unreachable(let reason)) = await process.fetch(.test("authsrv:acme.test")) else {
            Issue.record("it counts")
            return
        }
        #expect(reason.hasSuffix("No such file or directory"), "\(reason)")
    }

    @Test func `whoever is stopped does not wait for the process`() async throws {
        let fetching = Task { await fetch("exec sleep 60") }
        fetching.cancel()
        guard case .failure(.unreachable) = await fetching.value else {
            Issue.record("it counts")
            return
        }
    }
}
