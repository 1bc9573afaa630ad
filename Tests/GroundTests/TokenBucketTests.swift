import Fixtures
import Foundation
import Ground
import SeededNumbers
import Testing

@Suite struct TokenBucketTests {
    private let rate = TokenBucket.Rate(burst: 3, perSecond: 0.5)

    @Test("a full bucket gives its burst at once, then what comes back, and never more than the whole")
    func refills() {
        var bucket = TokenBucket(rate, at: 100)
        #expect((0..<4).map { _ in bucket.take(rate, at: 100) } == [nil, nil, nil, 2])
        #expect(bucket.take(rate, at: 101) == 1)
        #expect(bucket.take(rate, at: 102) == nil)
        #expect(bucket.take(rate, at: 102) == 2)
        #expect((0..<4).map { _ in bucket.take(rate, at: 1_000_000) } == [nil, nil, nil, 2])
    }

    @Test("a clock that is set back gives nothing, and goes on from there")
    func clockSetBack() {
        var bucket = TokenBucket(rate, at: 1_000_000)
        for _ in 0..<3 { #expect(bucket.take(rate, at: 1_000_000) == nil) }
        #expect(bucket.take(rate, at: 100) == 2)
        #expect(bucket.take(rate, at: 102) == nil)
    }

    @Test("what is given back can be taken again, and fills no bucket beyond its brim")
    func givenBack() {
        var bucket = TokenBucket(rate, at: 0)
        for _ in 0..<3 { _ = bucket.take(rate, at: 0) }
        #expect(!bucket.isFull(rate, at: 0))
        bucket.giveBack(1, rate, at: 0)
        #expect(bucket.take(rate, at: 0) == nil)
        bucket.giveBack(1_000, rate, at: 0)
        #expect(bucket.isFull(rate, at: 0))
        #expect((0..<4).map { _ in bucket.take(rate, at: 0) } == [nil, nil, nil, 2])
    }

    @Test("whatever comes, no more passes than the burst and what the time brings")
    func neverMore() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<200 {
            let rate = TokenBucket.Rate(
                burst: Double.random(in: 1...20, using: &generator),
                perSecond: .random(in: 0.01...50, using: &generator))
            var (time, passed) = (0.0, 0)
            var bucket = TokenBucket(rate, at: time)
            for _ in 0..<500 {
                time += .random(in: 0...0.2, using: &generator)
                if let wait = bucket.take(rate, at: time) {
                    // A token is available after exactly that time.
                    var (early, late) = (bucket, bucket)
                    #expect(wait > 0)
                    #expect(early.take(rate, at: time + wait * 0.99) != nil)
                    #expect(late.take(rate, at: time + wait * 1.01) == nil)
                } else {
                    passed += 1
                }
            }
            #expect(Double(passed) <= rate.burst + time * rate.perSecond)
        }
    }

    @Test("one key's bucket is not another's, and full ones take no room")
    func keys() {
        var buckets = TokenBuckets<String>(rate, max: 4)
        let now = Date(timeIntervalSinceReferenceDate: 0)
        for _ in 0..<3 { #expect(buckets.take("a", at: now) == nil) }
        #expect(buckets.take("a", at: now) == 2)
        #expect(buckets.take("b", at: now) == nil)
        #expect(buckets.count == 2)
        buckets.giveBack(1, to: "b", at: now)
        #expect(buckets.count == 1)
        for key in ["c", "d", "e", "f"] { _ = buckets.take(key, at: now + 1) }
        #expect(buckets.count == 3)
        // The one that was used longest ago is gone, and full again.
        #expect(buckets.take("a", at: now + 1) == nil)
    }
}
