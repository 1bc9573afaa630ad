import CCurl

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The cookie jar, which all transfers share.
extension HTTPClient {
    /// All cookies that have not expired, session cookies included, as lines in Netscape's format.
    package func cookies() -> [String] {
        withHandle { handle in
            attach(handle)
            guard let first = lanyard_curl_cookies(handle) else { return [] }
            defer { curl_slist_free_all(first) }
            return sequence(first: first) { $0.pointee.next }.map { String(cString: $0.pointee.data) }
                .filter { !isExpired($0) }
        }
    }

    /// libcurl does not send expired cookies, but still lists them.
    private func isExpired(_ line: String) -> Bool {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count > 4, let time = Double(parts[4]), time > 0 else { return false }
        return time <= now().timeIntervalSince1970
    }

    /// Removes the cookies whose domain fulfills the condition. Domains are passed in small letters, without a leading
    /// dot.
    ///
    /// Each is removed by letting it expire: replacing the whole jar could lose cookies that other transfers set
    /// meanwhile.
    package func removeCookies(where matches: (String) -> Bool) {
        insert(
            cookies().filter { matches(Self.domain(of: $0)) }.map { line in
                var parts = line.split(separator: "\t", omittingEmptySubsequences: false)
                if parts.count > 4 { parts[4] = "1" }
                return parts.joined(separator: "\t")
            })
    }

    /// The domain in a line of Netscape's format, in small letters and without a leading dot.
    package static func domain(of line: String) -> String {
        let domain = line.split(separator: "\t").first ?? ""
        let bare = domain.hasPrefix("#HttpOnly_") ? domain.dropFirst(10) : domain
        return bare.drop { $0 == "." }.lowercased()
    }

    /// Adds cookies, given as lines in Netscape's format. Each replaces the one with the same name, domain and path.
    package func insert(_ cookies: [String]) {
        guard !cookies.isEmpty else { return }
        withHandle { handle in
            attach(handle)
            for cookie in cookies { _ = lanyard_curl_set_text(handle, CURLOPT_COOKIELIST, cookie) }
        }
    }
}
