import Foundation
import Testing

@testable import DeviceCommands

@Suite("git's question for a credential")
struct GitCredentialTests {
    private static func question(_ lines: String...) -> GitCredential {
        GitCredential(Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    @Test("A URL is made of protocol, host and path")
    func url() {
        #expect(Self.question("protocol=https", "host=git.acme.test").url == "https://git.acme.test/")
        #expect(
            Self.question("protocol=https", "host=git.acme.test:8443", "path=a/b.git").url
                == "https://git.acme.test:8443/a/b.git")
        #expect(Self.question("protocol=http", "host=127.0.0.1:80").url == "http://127.0.0.1:80/")
        #expect(Self.question("protocol=http", "host=[::1]:80").url == "http://[::1]:80/")
    }

    @Test(
        "Without TLS, or with a host that reads in two ways, there is none",
        arguments: [
            ["protocol=http", "host=git.acme.test"], ["protocol=ssh", "host=git.acme.test"], ["protocol=https"],
            ["protocol=https", "host="], ["protocol=https", "host=a.test/b"], ["protocol=https", "host=a@b.test"],
            ["protocol=https", "host=a.test?"], ["host=a.test"],
        ])
    func none(_ lines: [String]) {
        #expect(GitCredential(Data(lines.joined(separator: "\n").utf8)).url == nil)
    }

    @Test(
        "A pattern is a host, or its end behind a dot, with the port where that is not the usual one",
        arguments: [
            ("git.acme.test", true), ("GIT.acme.test", true), (".acme.test", true), ("acme.test", false),
            (".test", true), ("it.acme.test", false), ("git.acme.test:443", true), ("git.acme.test:8443", false),
            ("", false),
        ])
    func patterns(_ pattern: String, fits: Bool) {
        #expect(Self.question("protocol=https", "host=git.acme.test").isFor(pattern) == fits)
    }

    @Test("A git that knows kinds of credentials gets the kind; another one a password, if there is one")
    func answers() {
        let plain = Self.question("protocol=https", "host=git.acme.test", "username=ana")
        #expect(plain.answer(authorization: "Bearer abc", username: "oauth2") == "username=ana\npassword=abc\n")
        let basic = Data("ana:se:cret".utf8).base64EncodedString()
        #expect(plain.answer(authorization: "Basic \(basic)", username: "x") == "username=ana\npassword=se:cret\n")
        #expect(plain.answer(authorization: "Negotiate abc", username: "x") == nil)
        let modern = Self.question("protocol=https", "host=git.acme.test", "capability[]=authtype")
        #expect(
            modern.answer(authorization: "Negotiate abc", username: "x", expiresAt: Date(timeIntervalSince1970: 60))
                == "capability[]=authtype\nauthtype=Negotiate\ncredential=abc\nephemeral=1\npassword_expiry_utc=60\n")
    }

    @Test(
        "What would become lines of its own is not handed on",
        arguments: ["Bearer a\nusername=b", "Bearer", "Basic \(Data("a:b\nquit=1".utf8).base64EncodedString())"])
    func lines(_ authorization: String) {
        #expect(
            Self.question("protocol=https", "host=a.test").answer(authorization: authorization, username: "x") == nil)
    }

    @Test("An empty challenge takes back those before it")
    func challenges() {
        let question = Self.question("wwwauth[]=Basic", "wwwauth[]=", "wwwauth[]=Negotiate")
        #expect(question.challenges == ["Negotiate"])
    }
}
