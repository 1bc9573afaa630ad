import NIOCore
import NIOEmbedded
import Testing

@testable import ServerHTTP
@testable import TestServers

/// When a deadline is reached that was moved, stopped and ended.
@Suite struct DeadlineTests {
    private final class Count {
        var value = 0
    }

    private let loop = EmbeddedEventLoop()
    private let reached = Count()
    private let deadline: Deadline

    init() {
        let reached = reached
        deadline = Deadline { reached.value += 1 }
    }

    private func move(_ seconds: Int64) { deadline.move(to: loop.now + .seconds(seconds), on: loop) }

    /// - Returns: how often the deadline was reached meanwhile.
    private func wait(_ milliseconds: Int64) -> Int {
        let before = reached.value
        loop.advanceTime(by: .milliseconds(milliseconds))
        return reached.value - before
    }

    @Test("it is reached once, at its time")
    func once() {
        move(4)
        #expect(deadline.isSet && wait(3_999) == 0 && deadline.isSet)
        #expect(wait(1) == 1 && !deadline.isSet)
        #expect(wait(100_000) == 0)
    }

    @Test("one that is moved away again and again is reached at its last time")
    func later() {
        for _ in 0..<10 {
            move(4)
            #expect(wait(3_000) == 0)
        }
        #expect(wait(999) == 0 && wait(1) == 1)
    }

    @Test("one that is moved nearer is reached then, and not at its first time again")
    func nearer() {
        move(10)
        move(4)
        #expect(wait(3_999) == 0 && wait(1) == 1 && wait(20_000) == 0)
    }

    @Test("one that is stopped is not reached before it is set again")
    func stopped() {
        move(4)
        deadline.stop()
        #expect(!deadline.isSet && wait(3_000) == 0)
        move(4)
        #expect(wait(3_999) == 0 && wait(1) == 1)
        move(4)
        deadline.stop()
        #expect(wait(10_000) == 0)
        move(1)
        #expect(wait(1_000) == 1)
    }

    @Test("one that has ended is kept by nobody")
    func ended() {
        weak var kept: Deadline?
        do {
            let deadline = Deadline {}
            kept = deadline
            deadline.move(to: loop.now + .seconds(4), on: loop)
            deadline.end()
        }
        #expect(kept == nil && wait(10_000) == 0)
    }

    @Test("it can be moved when it is reached")
    func again() {
        final class Owner {
            var deadline: Deadline?
            var times: [NIODeadline] = []
        }
        let (owner, loop) = (Owner(), loop)
        owner.deadline = Deadline { [unowned owner] in
            owner.times.append(loop.now)
            owner.deadline?.move(to: loop.now + .seconds(2), on: loop)
        }
        let start = loop.now
        owner.deadline?.move(to: start + .seconds(1), on: loop)
        loop.advanceTime(by: .seconds(6))
        #expect(owner.times == [1, 3, 5].map { start + .seconds($0) })
        owner.deadline?.end()
    }
}
