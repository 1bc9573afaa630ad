import Testing

@testable import KerberosDomain

/// docs/specifications/extensible-single-sign-on.md, 24.2.
@Suite struct ServiceRecordTests {
    private static func record(_ host: String, _ priority: UInt16, _ weight: UInt16) -> ServiceRecord {
        ServiceRecord(host: host, port: 88, priority: priority, weight: weight)
    }

    @Test("priorities are kept, and none is lost or doubled")
    func priorities() {
        let records = [
            Self.record("c", 20, 0), Self.record("a", 0, 0), Self.record("b", 10, 7), Self.record("a", 0, 0),
        ]
        let ordered = ServiceRecord.ordered(records) { Int.random(in: 0...$0) }
        #expect(ordered.map(\.host) == ["a", "b", "c"])
        #expect(ServiceRecord.ordered([]) { _ in 0 } == [])
    }

    @Test("within one priority the weights say how often each comes first")
    func weights() {
        let records = [Self.record("light", 0, 1), Self.record("heavy", 0, 3), Self.record("none", 0, 0)]
        var first: [String: Int] = [:]
        for drawn in 0...4 {
            let ordered = ServiceRecord.ordered(records) { $0 == 4 ? drawn : 0 }
            #expect(Set(ordered.map(\.host)).count == 3)
            first[ordered[0].host, default: 0] += 1
        }
        #expect(first == ["none": 1, "light": 1, "heavy": 3])
    }
}
