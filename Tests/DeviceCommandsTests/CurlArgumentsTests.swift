import ArgumentParser
import Testing

@testable import DeviceCommands

@Suite("curl's arguments")
struct CurlArgumentsTests {
    private static let url = "https://intranet.acme.test/"

    @Test(
        "Values of options are no URLs",
        arguments: [
            ["-o", "out", url], ["-oout", url], ["--output", "out", url], ["-sSLo", "out", url], ["-sS", "-L", url],
            ["--header", "X: y", url], ["-H", "https://other.test/", url], [url, "--data", "https://other.test/"],
            ["--max-time=3", url], ["--", url],
        ])
    func values(_ words: [String]) throws {
        #expect(try CurlArguments(words).urls == [Self.url])
    }

    @Test("Every word that curl takes for a URL is found, so that a second host shows")
    func several() throws {
        #expect(try CurlArguments([Self.url, "-s", "https://other.test/"]).urls == [Self.url, "https://other.test/"])
        #expect(try CurlArguments(["--unknown", "https://other.test/", Self.url]).urls.count == 2)
        #expect(try CurlArguments(["-s"]).urls == [])
    }

    @Test(
        "What could send the secret elsewhere is refused",
        arguments: [
            ["--url", url], ["--url=\(url)"], ["--ur", url], ["--config", "file"], ["--conf", "file"], ["-K", "file"],
            ["-sK", "file"], ["--next", url], ["-:", url], ["--location-trusted", url],
            ["--proto-default", "http", url],
            ["--expand-url", url], ["--url-query2", url],
        ])
    func refused(_ words: [String]) {
        #expect(throws: ValidationError.self) { try CurlArguments(words) }
    }

    @Test(
        "A word that names no single host is refused",
        arguments: [
            "intranet.acme.test", "ftp://intranet.acme.test/", "https://user@intranet.acme.test/",
            "https://{a,b}.test/",
            "https://a[1-9].test/", "https:///path", "https://a.test:port/", "file:///etc/passwd",
        ])
    func unclear(_ word: String) {
        #expect(throws: ValidationError.self) { try CurlArguments([word]) }
    }

    @Test(
        "A host by name or number, with or without a port",
        arguments: ["https://a.test:8443/x?y#z", "http://127.0.0.1/", "https://[::1]:443", "HTTPS://A.TEST"])
    func hosts(_ word: String) throws {
        #expect(try CurlArguments([word]).urls == [word])
    }
}
