import AsyncHTTPClient
import Foundation
import Testing

@testable import SingleSignOnClient

@Suite struct SetCookieTests {
    @Test(
        arguments: [
            "s=1", "s=1; Path=/a; Secure; HttpOnly", " s = 1 ; path = /a ; SECURE=yes;httponly",
            "s=\"a b\"; Max-Age=60",
            "s=\"", "s=", "s=a=b", "s=1; Max-Age=-1", "s=1; Max-Age=x; Max-Age=5", "s=1; Path=a", "s=1; Path=/a; Path=",
            "s=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "s=1; Expires=Wednesday, 21-Oct-26 07:28:00 GMT",
            "s=1; expires=Wed Oct 21 07:28:00 2026", "s=1; Expires=yesterday", "s=1; Expires=", "s=1;;; ;=x; y",
            "ü=é; Path=/ü", "", "=1", "s", ";s=1",
        ])
    func `a header says the same to us as to async-http-client`(_ header: String) {
        let (ours, theirs) = (SetCookie(header), HTTPClient.Cookie(header: header, defaultDomain: "acme.test"))
        #expect(ours?.name == theirs?.name)
        #expect(ours?.value == theirs?.value)
        #expect(ours.map { $0.path ?? "/" } == theirs?.path)
        #expect(ours?.isSecure == theirs?.secure)
        #expect(ours?.isHTTPOnly == theirs?.httpOnly)
        #expect(ours?.maxAge == theirs?.maxAge)
        #expect(ours?.expires == theirs?.expires)
    }

    @Test(
        arguments: [
            ("Wed, 21-Oct-2026 07:28:00 GMT", 1_792_567_680), ("21 oct 2026 7:28:0", 1_792_567_680),
            ("07:28:00 2026 October 21", 1_792_567_680), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Fri, 31-Dec-99 23:59:59 GMT", 946_684_799),
        ])
    func `dates are read as browsers read them`(_ text: String, _ seconds: Double) {
        #expect(SetCookie("s=1; Expires=\(text)")?.expires == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        arguments: [
            "29 Feb 2023 00:00:00", "32 Oct 2026 00:00:00", "21 Oct 2026 24:00:00", "21 Oct 2026 00:60:00",
            "21 Oct 2026",
            "Oct 2026 00:00:00", "21 2026 00:00:00", "21 Oct 00:00:00", "21 Oct 1600 00:00:00", "0 Oct 2026 00:00:00",
            "21 Oct 2026 00:00", "21 Oct 2026 ::", "99999999999999999999 Oct 99999999999999999999 00:00:00",
        ])
    func `what is no date leaves the cookie one of the session`(_ text: String) {
        #expect(SetCookie("s=1; Expires=\(text)")?.expires == nil)
    }

    @Test(arguments: ["s=a\nb", "s=1; Path=/\u{7F}", "\u{0}s=1"])
    func `control characters are in no cookie`(_ header: String) {
        #expect(SetCookie(header) == nil)
    }
}
