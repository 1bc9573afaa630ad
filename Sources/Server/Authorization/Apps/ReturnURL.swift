import Foundation
import Ground

/// An address that may receive authorization codes: `https` with a domain name, no IP address, no `localhost`,
/// no fragment. A development server also takes `http` on loopback.
package struct ReturnURL: Hashable, Sendable {
    package let text: String

    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let text: String
        package let reason: String
        package var description: String { "“\(text)” is no return URL: \(reason)." }
    }

    /// - Throws: ``Problem``
    package init(_ text: String, allowingLoopback: Bool) throws {
        do {
            let address = try AppAddress(text, example: "https://quizzler.example/callback")
            if !(allowingLoopback && address.scheme == "http" && address.isLoopback) {
                guard address.scheme == "https" else { throw AppAddress.Refusal(reason: "it must begin with https://") }
                guard !address.isLoopback else {
                    throw AppAddress.Refusal(
                        reason: "it may not be localhost; a development server (`--development`) allows that")
                }
                try address.requireDomainName()
            }
            try Self.requireNoAnswer(in: text)
        } catch let refusal as AppAddress.Refusal {
            throw Problem(text: text, reason: refusal.reason)
        }
        self.text = text
    }

    /// The names of parameters in answers. RFC 6749 §4.1.2, RFC 9207 §2, OpenID Connect Core §3.1.2.5, Session
    /// Management §3.
    private static let answerNames: Set<String> = [
        "code", "state", "iss", "error", "error_description", "error_uri", "id_token", "access_token", "token_type",
        "expires_in", "scope", "user", "session_state", "response",
    ]

    /// Refuses an address whose query has a parameter with the name of one in answers, because many programs use the
    /// first of two.
    private static func requireNoAnswer(in text: String) throws {
        let names = URLComponents(string: text)?.queryItems?.map(\.name) ?? []
        guard let name = names.first(where: answerNames.contains) else { return }
        throw AppAddress.Refusal(reason: "its query has “\(name)”, which the answer has too")
    }
}

// MARK: Native programs

extension ReturnURL {
    /// An address that leads to a program on the person's own device: `http` on a loopback address, with any port if it
    /// has none (RFC 8252 §7.3), or a private-use scheme in reverse domain order (§7.1).
    /// - Throws: ``Problem``
    package init(native text: String) throws {
        func refuse(_ reason: String) -> Problem { Problem(text: text, reason: reason) }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), text.utf8.count <= 2_048,
            let url = URLComponents(string: text), let scheme = url.scheme
        else { throw refuse("write http://127.0.0.1/callback or com.example.quizzler:/callback") }
        guard url.fragment == nil else { throw refuse("it may not have a fragment (#)") }
        guard Self.isNative(text) else {
            throw refuse(
                scheme == "http"
                    ? "a native program's address is http://127.0.0.1/… or http://[::1]/…"
                    : "the scheme of a native program has a dot, as com.example.quizzler")
        }
        do {
            try Self.requireNoAnswer(in: text)
        } catch let refusal as AppAddress.Refusal {
            throw refuse(refusal.reason)
        }
        self.text = text
    }

    /// Whether an address leads to a program on the person's device.
    package static func isNative(_ text: String) -> Bool {
        if withoutLoopbackPort(text) != nil { return true }
        guard let scheme = text.split(separator: ":", maxSplits: 1).first, text.contains(":") else { return false }
        return scheme.contains(".")
            && scheme.utf8.allSatisfy {
                $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+")
                    || $0.isDigit
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }

    /// Whether the address has a private-use scheme. Browsers can be redirected there, but cannot post a form to it.
    static func isPrivate(_ text: String) -> Bool { isNative(text) && withoutLoopbackPort(text) == nil }

    private static let loopbackHosts = ["http://127.0.0.1", "http://[::1]"]

    /// The registered form of an `http` address on loopback, which matches every port; nil for all other addresses.
    static func withoutLoopbackPort(_ text: String) -> String? {
        // This runs several times for each answer. A regular expression would be built each time, which takes as long
        // as a signature.
        guard let host = loopbackHosts.first(where: { text.utf8.starts(with: $0.utf8) }),
            text.utf8.allSatisfy({ (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) })
        else { return nil }
        var rest = text.dropFirst(host.count)
        if rest.hasPrefix(":") {
            let digits = rest.dropFirst().prefix(while: \.isNumber)
            guard digits.count <= 5, let port = Int(digits), (1...65_535).contains(port) else { return nil }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard rest.isEmpty || rest.hasPrefix("/") else { return nil }
        return host + rest
    }
}
