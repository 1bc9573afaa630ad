import Testing

@testable import SingleSignOnBroker

@Suite struct LoopbackOwnerTests {
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0
           1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 2 1 0
           2: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0
           3: 0100007F:D432 0100007F:1F90 06 00000000:00000000 03:00000E1A 00000000     0        0 0 3 0
        """

    @Test func `the owner is that of the other end, not of this one`() {
        #expect(LoopbackOwner.user(in: Self.table, from: 0xD431, to: 0x1F90) == 1000)
        #expect(LoopbackOwner.user(in: Self.table, from: 0xD433, to: 0x1F90) == nil)
    }

    @Test func `a connection that its owner has closed is nobody's, and not root's`() {
        #expect(LoopbackOwner.user(in: Self.table, from: 0xD432, to: 0x1F90) == nil)
    }
}
