import Testing

@testable import Ground

@Suite struct NetworksTests {
    @Test func `an address counts by its network alone`() {
        #expect(Networks.network([192, 0, 2, 17], [255, 255, 255, 0]) == "c0000200/24")
        #expect(Networks.network([192, 0, 2, 200], [255, 255, 255, 0]) == "c0000200/24")
        #expect(Networks.network([192, 0, 2, 200], [255, 255, 255, 128]) == "c0000280/25")
        #expect(Networks.network([127, 0, 0, 1], [255, 0, 0, 0]) == nil)
        // What a machine gives itself where nobody gives it an address.
        #expect(Networks.network([169, 254, 7, 1], [255, 255, 0, 0]) == nil)
        let half: [UInt8] = Array(repeating: 255, count: 8) + Array(repeating: 0, count: 8)
        func wide(_ first: [UInt8], _ last: UInt8) -> [UInt8] {
            first + Array(repeating: 0, count: 15 - first.count) + [last]
        }
        #expect(Networks.network(wide([0x20, 0x01, 0x0D, 0xB8], 7), half) == "20010db8000000000000000000000000/64")
        #expect(Networks.network(wide([0xFE, 0x80], 7), half) == nil)
        #expect(Networks.network(wide([], 1), Array(repeating: 255, count: 16)) == nil)
        #expect(Networks.network([192, 0, 2, 17], half) == nil)
    }

    @Test func `routers are those of default routes that are used`() {
        let first = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
            eth0\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
            wlan0\t00000000\t00000000\t0200\t0\t0\t0\t00000000\t0\t0\t0
            """
        let zero = String(repeating: "0", count: 32)
        let router = "fe80000000000000000000000000000" + "1"
        let second = """
            \(zero) 00 \(zero) 00 \(router) 00000400 00000001 00000000 00000003     eth0
            20010db8000000000000000000000000 40 \(zero) 00 \(zero) 00000100 00000001 00000000 00000001     eth0
            \(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200       lo
            """
        #expect(
            Networks.routers(ofVersion4: first, ofVersion6: second) == ["eth0 via 010200C0", "eth0 via \(router)"])
        #expect(Networks.routers(ofVersion4: "", ofVersion6: "nonsense\n\n") == [])
    }

    @Test func `a network is new if it was not there a moment ago`() {
        var changes = NetworkChanges(["a"])
        let looks: [Set<String>] = [["a"], ["a", "b"], ["b"], ["a"]]
        let found = looks.map { changes.take($0) }
        #expect(found == [false, true, false, true])
        // It was away between two looks.
        changes.lose([])
        let isNew = changes.take(["a"])
        #expect(isNew)
    }
}
