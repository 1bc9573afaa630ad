import Foundation
import NIOCore
import NIOEmbedded
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

/// The parts of ``ExtensionHost``, each by itself.
@Suite struct ExtensionHostPartsTests {
    private final class Thing {}

    /// Keeps the commands that it gets.
    private final class Link: ExtensionLink {
        private(set) var commands: [ExtensionCommand] = []
        func send(_ command: ExtensionCommand) { commands.append(command) }

        /// The numbers under which it was asked, and whether anything may be shown.
        var begun: [String] {
            commands.compactMap { command in
                guard case .begin(let request) = command else { return nil }
                return "\(request.id) \(request.isUserInterfaceEnabled)"
            }
        }
    }

    private func request(isInterfaceEnabled: Bool = true) -> ExtensionRequest {
        ExtensionRequest(
            id: 0, url: "https://id.acme.test/x", operation: "", headers: [], body: Data(), realm: "",
            extensionData: [:],
            caller: Caller(
                bundleIdentifier: "a", teamIdentifier: "", displayName: "", isManaged: false, processIdentifier: 1),
            options: [:], isUserInterfaceEnabled: isInterfaceEnabled, isCredential: false)
    }

    /// Makes a request and passes it to `body`.
    /// - Returns: how the request ended.
    private func ending(
        key: UInt64 = 1, isInterfaceEnabled: Bool = true, of link: Link = Link(),
        _ body: (OpenRequest<Link>) -> Void
    ) async -> ExtensionHost.Result {
        await withCheckedContinuation { continuation in
            body(
                OpenRequest(
                    key, request(isInterfaceEnabled: isInterfaceEnabled), to: link, presenter: NoPresenter(),
                    continuation))
        }
    }

    // MARK: Back-off

    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func `each failure doubles the wait, up to the longest`() {
        var backOff = BackOff(first: .seconds(1), longest: .seconds(10))
        var time = NIODeadline.uptimeNanoseconds(0)
        var waits: [TimeAmount] = []
        for _ in 0..<6 {
            guard let wait = backOff.fail(.init("it hangs"), at: time, date: date) else { break }
            waits.append(wait)
            time = time + wait
        }
        #expect(waits == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        #expect(backOff.lastFailure?.inARow == 6 && backOff.lastFailure?.at == date)
    }

    @Test func `what fails for several at once is one failure`() {
        var backOff = BackOff(first: .seconds(4), longest: .seconds(60))
        let time = NIODeadline.uptimeNanoseconds(0)
        #expect(backOff.fail(.init("first"), at: time, date: date) == .seconds(4))
        #expect(backOff.fail(.init("second"), at: time + .seconds(3), date: date) == nil)
        #expect(backOff.lastFailure?.reason == "first" && backOff.lastFailure?.inARow == 1)
        #expect(backOff.left(at: time + .seconds(3)) == .seconds(1))
        #expect(backOff.left(at: time + .seconds(4)) == nil)
        #expect(backOff.problem(at: time + .seconds(4)) == nil)
    }

    @Test func `an answer ends the wait and the row`() {
        var backOff = BackOff(first: .seconds(1), longest: .seconds(60))
        let time = NIODeadline.uptimeNanoseconds(0)
        for second in 0..<3 { _ = backOff.fail(.init("it hangs"), at: time + .seconds(Int64(second) * 10), date: date) }
        #expect(backOff.lastFailure?.inARow == 3)
        backOff.answered()
        #expect(backOff.lastFailure == nil && backOff.left(at: time) == nil && backOff.problem(at: time) == nil)
        #expect(backOff.fail(.init("again"), at: time, date: date) == .seconds(1))
    }

    @Test func `callers hear how long it takes, and nothing of where programs lie`() {
        var backOff = BackOff(first: .seconds(20), longest: .seconds(60))
        let time = NIODeadline.uptimeNanoseconds(0)
        _ = backOff.fail(.init("/opt/x\u{1b} is gone", program: "/opt/x"), at: time, date: date)
        let problem = backOff.problem(at: time + .milliseconds(500))
        #expect(problem?.detail == "/opt/x  is gone; it is started again in 20 s")
        #expect(problem?.told == "its program  is gone; it is started again in 20 s")
    }

    // MARK: Turns

    @Test func `one has the turn until it gives it up, and the others come in order`() {
        var turns = Turns<Thing>()
        let (first, second, third) = (Thing(), Thing(), Thing())
        #expect(turns.want(first) == true)
        #expect(!turns.want(second) && !turns.want(third) && !turns.want(second))
        #expect(turns.want(first) == true, "it has it already")
        #expect(turns.next() == nil, "somebody has it")
        #expect(turns.giveUp(second) == false, "it only waited")
        #expect(turns.giveUp(first) && !turns.giveUp(first))
        #expect(turns.next() === third)
        #expect(turns.giveUp(third) && turns.next() == nil)
        #expect(turns.want(second) == true)
    }

    @Test func `who waits can be taken out, and the turn stays whose it is`() {
        var turns = Turns<Thing>()
        let things = (0..<4).map { _ in Thing() }
        let haveTurns = things.map { turns.want($0) }
        #expect(haveTurns == [true, false, false, false])
        let waiting = turns.takeWaiting()
        #expect(waiting.map(ObjectIdentifier.init) == things.dropFirst().map(ObjectIdentifier.init))
        #expect(turns.takeWaiting().isEmpty)
        #expect(!turns.want(things[2]) && turns.want(things[0]))
    }

    // MARK: Processes

    @Test func `an earlier process is heard until it is let go, and runs until it is gone`() {
        var processes = RunningProcesses<Thing>()
        let (old, new) = (Thing(), Thing())
        processes.start(old)
        #expect(processes.current === old && processes.isHeard(old))
        #expect(processes.retire() === old && processes.retire() == nil)
        processes.start(new)
        #expect(processes.isHeard(old) && processes.all.count == 2)
        processes.retire(old)
        #expect(processes.current === new, "it was another's turn already")
        #expect(processes.letGo(old) && !processes.letGo(old))
        #expect(!processes.isHeard(old) && processes.isHeard(new) && processes.all.count == 2)
        processes.forget(old)
        let all = processes.all
        #expect(all.count == 1 && all.first === new)
        processes.forgetAll()
        #expect(processes.current == nil && processes.all.isEmpty && !processes.isHeard(new))
    }

    // MARK: The life of a process

    @Test func `an end before the start has returned is known when it returns`() {
        let life = ProcessLife<Thing>()
        #expect(life.process == nil && !life.hasEnded)
        life.end()
        let thing = Thing()
        #expect(life.start(thing) == false)
        #expect(life.process === thing && life.hasEnded)
        let other = ProcessLife<Thing>()
        #expect(other.start(thing) == true)
        #expect(!other.hasEnded, "each start has a life of its own")
    }

    @Test func `late reports are normal, but not without an end`() {
        let life = ProcessLife<Thing>(strayReportsMax: 3)
        #expect((0..<5).map { _ in life.countStrayReport() } == [true, true, true, false, false])
    }

    // MARK: Open requests

    @Test func `what is said under an earlier number, or by another process, is for nobody`() async {
        let (link, other) = (Link(), Link())
        var requests = OpenRequests<Link>()
        let key = requests.makeKey()
        #expect(requests.makeKey() == key + 1)
        _ = await ending(key: key, of: link) { ask in
            requests.add(ask)
            #expect(link.commands.isEmpty, "it is asked when it has its place")
            ask.begin()
            let first = ask.identifier
            #expect(requests.find(first, of: link) === ask && requests.find(first, of: other) == nil)
            #expect(requests.wasAsked(first) && !requests.wasAsked(first + 1))
            requests.add(ask)
            ask.begin()
            #expect(requests.find(first) == nil && requests.find(ask.identifier) === ask && requests.count == 1)
            #expect(!requests.isOpen(ask, as: first) && requests.isOpen(ask, as: ask.identifier))
            #expect(requests.find(key: key) === ask && requests.find(key: key + 1) == nil)
            #expect(requests.isUsed(link) && !requests.isUsed(other) && requests.all(of: other).isEmpty)
            requests.remove(ask)
            requests.remove(ask)
            #expect(requests.isEmpty && requests.wasAsked(ask.identifier) && !requests.isUsed(link))
            ask.end(.ended(.stopping, nil))
        }
        #expect(link.begun == ["1 true", "2 true"])
    }

    @Test func `a request that is asked again silently shows nothing, and everything after that as before`() async {
        let link = Link()
        _ = await ending(of: link) { ask in
            ask.number(as: 1)
            ask.begin()
            #expect(ask.wantsToShow(.page("https://id.acme.test/")) == nil)
            ask.beginsAgain(silently: true)
            ask.number(as: 2)
            ask.begin()
            #expect(ask.isAskedAgain && !ask.mayShow && ask.takeDisplay() == nil)
            #expect(ask.wantsToShow(.page("https://id.acme.test/")) == .notInteractive)
            ask.beginsAgain(silently: false)
            ask.number(as: 3)
            ask.begin()
            #expect(!ask.isAskedAgain && ask.mayShow)
            #expect(ask.wantsToShow(.page("https://id.acme.test/")) == nil)
            ask.end(.ended(.stopping, nil))
        }
        #expect(link.begun == ["1 true", "2 false", "3 true"])
        let cancelled = link.commands.compactMap { if case .cancel(let id) = $0 { id } else { nil } }
        #expect(cancelled == [1])
    }

    @Test func `one thing at a time is shown for a request, and only pages of the web`() async {
        _ = await ending { ask in
            #expect(ask.wantsToShow(.page("file:///etc/passwd"))?.message.contains("http or https") == true)
            #expect(ask.takeDisplay() == nil)
            #expect(ask.wantsToShow(.page("https://id.acme.test/")) == nil)
            #expect(ask.wantsToShow(.page("https://id.acme.test/")) != nil, "it waits for its turn")
            #expect(ask.takeDisplay() != nil && ask.takeDisplay() == nil)
            #expect(ask.wantsToShow(.page("https://id.acme.test/")) != nil, "it is shown")
            ask.hasShown()
            #expect(ask.wantsToShow(.page("https://id.acme.test/")) == nil)
            #expect(ask.countDisplay(max: 2) && ask.countDisplay(max: 2) && !ask.countDisplay(max: 2))
            ask.end(.ended(.stopping, nil))
        }
        _ = await ending(isInterfaceEnabled: false) { ask in
            #expect(ask.wantsToShow(.page("https://id.acme.test/")) == .notInteractive)
            ask.beginsAgain(silently: false)
            #expect(!ask.mayShow, "what was never allowed is not allowed by asking again")
            ask.end(.ended(.stopping, nil))
        }
    }

    @Test func `the first end counts, and ends the limit`() async {
        let loop = EmbeddedEventLoop()
        var rung: [Int] = []
        let result = await ending { ask in
            for number in 1...2 {
                ask.limit(loop.assumeIsolated().scheduleTask(in: .seconds(1)) { rung.append(number) })
            }
            loop.advanceTime(by: .seconds(2))
            ask.limit(loop.assumeIsolated().scheduleTask(in: .seconds(1)) { rung.append(3) })
            ask.end(.ended(.timedOut, nil))
            ask.end(.ended(.stopping, nil))
            loop.advanceTime(by: .seconds(2))
        }
        guard case .ended(.timedOut, nil) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(rung == [2])
    }
}
