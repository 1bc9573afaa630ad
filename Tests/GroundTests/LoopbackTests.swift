import Ground
import Ground
import Testing

@Suite struct LoopbackTests {
    @Test(
        "every spelling of the machine itself is loopback",
        arguments: [
            "localhost", "LocalHost", "localhost.", "app.localhost", "App.LOCALHOST.", "127.0.0.1", "127.9.9.9",
            "127.255.255.255", "::1", "[::1]",
        ])
    func loopback(_ host: String) {
        #expect(Loopback.contains(host: host))
    }

    @Test(
        "other hosts are not, whatever they look like",
        arguments: [
            "", ".", "localhost.example", "notlocalhost", "localhost..", "127.0.0.1.example", "127.0.0.example",
            "127.example", "127.0.0.256", "128.0.0.1", "10.0.0.1", "::10", "::1.", "[::1", "[localhost]",
            // Spellings of 127.0.0.1 that programs read differently.
            "127.1", "127.0.0.01", "0177.0.0.1", "2130706433", "127.0.0.+1", "127.0.0.1.", "0x7f.0.0.1",
            // Letters that some take for those of localhost.
            "ｌocalhost", "localhoſt", "localho\u{301}st",
        ])
    func elsewhere(_ host: String) {
        #expect(!Loopback.contains(host: host))
    }
}
