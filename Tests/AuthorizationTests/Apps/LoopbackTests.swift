import Authorization
import Testing

@Suite struct LoopbackTests {
    @Test(
        "every spelling of the machine itself is loopback",
        arguments: ["localhost", "LocalHost", "localhost.", "app.localhost", "127.0.0.1", "::1", "[::1]"])
    func loopback(_ host: String) {
        #expect(Loopback.contains(host: host))
    }

    @Test(
        "other hosts are not, whatever they look like",
        arguments: [
            "", ".", "localhost.example", "notlocalhost", "127.0.0.1.example", "127.0.0.10", "::10", "10.0.0.1",
        ])
    func elsewhere(_ host: String) {
        #expect(!Loopback.contains(host: host))
    }
}
