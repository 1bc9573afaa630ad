@testable import Directory
import Fixtures
import Foundation
import Testing

@Suite struct FailureBudgetTests {
    private func budget(
        _ fixed: FixedSurroundings, burst: Double = 3, perMinute: Double = 2, addressesMax: Int = 100
    ) -> FailureBudget {
        var limits = FailureBudget.Limits()
        limits.burst = burst
        limits.perMinute = perMinute
        limits.addressesMax = addressesMax
        return FailureBudget(limits, now: { fixed.now })
    }

    /// - Returns: the seconds to wait; nil if one was taken from the budget.
    private func take(_ budget: FailureBudget, _ address: AddressBlock, _ fixed: FixedSurroundings) -> TimeInterval? {
        do {
            try budget.take(address)
            return nil
        } catch let exhausted as FailureBudget.Exhausted {
            return exhausted.until.timeIntervalSince(fixed.now)
        } catch {
            return -1
        }
    }

    private let school = AddressBlock("192.0.2.7")
    private let elsewhere = AddressBlock("192.0.2.8")

    @Test("a budget is one address's, and refills with time to its bound")
    func refills() {
        let fixed = FixedSurroundings()
        let budget = budget(fixed)
        for _ in 0..<3 { #expect(take(budget, school, fixed) == nil) }
        #expect(take(budget, school, fixed) == 30)
        #expect(take(budget, elsewhere, fixed) == nil)
        fixed.advance(by: 10)
        #expect(take(budget, school, fixed) == 20)
        fixed.advance(by: 20)
        #expect(take(budget, school, fixed) == nil)
        #expect(take(budget, school, fixed) == 30)
        fixed.advance(by: 86_400)
        for _ in 0..<3 { #expect(take(budget, school, fixed) == nil) }
        #expect(take(budget, school, fixed) == 30)
    }

    @Test("what is given back can be taken again, and never more than the whole")
    func givenBack() {
        let fixed = FixedSurroundings()
        let budget = budget(fixed)
        for _ in 0..<3 { #expect(take(budget, school, fixed) == nil) }
        budget.giveBack(1, to: school)
        #expect(take(budget, school, fixed) == nil)
        #expect(take(budget, school, fixed) == 30)
        budget.giveBack(1_000, to: school)
        #expect(budget.addressCount == 0)
        for _ in 0..<3 { #expect(take(budget, school, fixed) == nil) }
        #expect(take(budget, school, fixed) == 30)
    }

    @Test("of a hundred at once no more are let through than are in it")
    func atOnce() async {
        let fixed = FixedSurroundings()
        let budget = budget(fixed, burst: 10)
        let waits = await concurrently(0..<100) { _ in take(budget, school, fixed) }
        #expect(waits.filter { $0 == nil }.count == 10)
    }

    @Test("it is told once an hour, whoever exhausts it")
    func told() {
        let fixed = FixedSurroundings()
        let budget = budget(fixed, burst: 1, perMinute: 0.001)
        func isNews(_ address: AddressBlock) -> Bool? {
            do {
                try budget.take(address)
                return nil
            } catch { return (error as? FailureBudget.Exhausted)?.isNews }
        }
        #expect(isNews(school) == nil)
        #expect(isNews(school) == true)
        #expect(isNews(school) == false)
        #expect(isNews(elsewhere) == nil)
        #expect(isNews(elsewhere) == false)
        fixed.advance(by: 3_600)
        #expect(isNews(elsewhere) == true)
    }

    @Test("an attacker with a million addresses fills no memory, and the busiest of the last are remembered")
    func bounded() {
        let fixed = FixedSurroundings()
        let budget = budget(fixed, burst: 2, perMinute: 0.001, addressesMax: 1_000)
        for index in 0..<20_000 {
            fixed.advance(by: 0.001)
            _ = take(budget, AddressBlock("10.\(index / 65_536).\(index / 256 % 256).\(index % 256)"), fixed)
            if index % 500 == 0 { _ = take(budget, school, fixed) }
            #expect(budget.addressCount <= 1_001)
        }
        #expect(take(budget, school, fixed) != nil)
        // Full again, an address takes no room.
        fixed.advance(by: 1e9)
        for _ in 0..<1_000 { _ = take(budget, AddressBlock("198.51.100.\(Int.random(in: 0...9))"), fixed) }
        for index in 0..<1_000 { _ = take(budget, AddressBlock("10.9.\(index / 256).\(index % 256)"), fixed) }
        #expect(budget.addressCount <= 1_001)
    }
}
