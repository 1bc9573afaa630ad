import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the URLs in curl's arguments, because the credentials that are added must go to one host only.
///
/// Every word that is neither an option nor the value of one is a URL for curl, with or without a scheme.
struct CurlArguments {
    /// The words that curl treats as URLs.
    let urls: [String]

    /// - Throws: `ValidationError` for arguments that could send a request to a host that is not in `urls`.
    init(_ words: [String]) throws {
        var urls: [String] = []
        var isValue = false
        var isOption = true
        for word in words {
            if isValue {
                isValue = false
            } else if isOption, word == "--" {
                isOption = false
            } else if isOption, word.hasPrefix("--") {
                isValue = try Self.takesValue(long: word.dropFirst(2))
            } else if isOption, word.hasPrefix("-") {
                isValue = try Self.takesValue(short: word.dropFirst())
            } else {
                urls.append(try Self.checked(word))
            }
        }
        self.urls = urls
    }

    /// Options that name further hosts, or send secrets to hosts of redirections.
    private static let refused = ["url", "config", "next", "location-trusted", "proto-default"]

    /// curl accepts unambiguous abbreviations of long options.
    private static func takesValue(long word: Substring) throws -> Bool {
        if valued.contains(word) { return true }
        let name = word.prefix { $0 != "=" }
        if valued.contains(name) || name == "location" { return false }
        let isRefused = refused.contains { $0.hasPrefix(name) } || name.hasPrefix("url") || name.hasPrefix("expand-")
        guard !isRefused else { throw refusal(of: "--\(word)") }
        return false
    }

    /// Options of one letter can be combined in a word. If one takes a value, the rest of the word is that value.
    private static func takesValue(short word: Substring) throws -> Bool {
        for (index, letter) in word.enumerated() {
            guard letter != "K", letter != ":" else { throw refusal(of: "-\(letter)") }
            if letters.contains(letter) { return index == word.count - 1 }
        }
        return false
    }

    private static func refusal(of option: String) -> ValidationError {
        ValidationError(
            "\(option) could send what is for one host to another: write curl's URL as an argument of its own.")
    }

    private static func checked(_ word: String) throws -> String {
        let lowercased = word.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowercased.hasPrefix) else {
            throw ValidationError("“\(word)” is a URL for curl: write it with https:// or http://.")
        }
        // Refuses a user name in front of the host, and patterns that curl expands to several hosts.
        let place = word.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard place.wholeMatch(of: /(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.\-]+)(:[0-9]+)?/) != nil else {
            throw ValidationError("“\(word)” does not name one host.")
        }
        return word
    }

    /// Options of one letter that take a value. curl(1).
    private static let letters = Set("AbcCdDeEFHmoPQrtTuUwxXyYz")

    /// The options of curl(1) that take a value and name no host that would get a secret. The word after any other
    /// option is treated as a URL, so that an unknown option cannot hide one.
    private static let valued = Set(
        """
        abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers connect-timeout connect-to continue-at \
        cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode delegation \
        dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech egd-file engine etag-compare etag-save \
        expect100-timeout form form-string ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode \
        happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts interface ip-tos json keepalive-cnt \
        keepalive-time key key-type krb libcurl limit-rate local-port login-options mail-auth mail-from mail-rcpt \
        max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir parallel-max pass pinnedpubkey \
        preproxy proto proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile \
        proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers \
        proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range rate referer \
        request request-target resolve retry retry-delay retry-max-time sasl-authzid service-name socks4 socks4a socks5 \
        socks5-gssapi-service socks5-hostname speed-limit speed-time stderr telnet-option tftp-blksize time-cond tls-max \
        tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket upload-file url-query user \
        user-agent vlan-priority write-out
        """.split(separator: " "))
}
