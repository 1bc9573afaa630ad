import Directory
import Testing

@Suite struct AddressBlockTests {
    @Test(
        "one household is one block",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"), ("fe80::1%eth0", "fe80::2"),
        ])
    func same(_ left: String, _ right: String) {
        #expect(AddressBlock(left) == AddressBlock(right))
        #expect(AddressBlock(left).hash == AddressBlock(right).hash)
        #expect(!AddressBlock(left).bytes.isEmpty)
    }

    @Test(
        "neighbours are not",
        arguments: [("192.0.2.7", "192.0.2.8"), ("2001:db8:1:2::1", "2001:db8:1:3::1"), ("::1", "127.0.0.1")])
    func different(_ left: String, _ right: String) {
        #expect(AddressBlock(left) != AddressBlock(right))
        #expect(AddressBlock(left).hash != AddressBlock(right).hash)
    }

    @Test("what is no address is one block of its own", arguments: [nil, "", "unix:/run/x", "192.0.2"])
    func none(_ text: String?) {
        #expect(AddressBlock(text) == AddressBlock(nil))
    }
}
