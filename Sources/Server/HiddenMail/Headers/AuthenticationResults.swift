/// What the verifiers of SPF and DKIM found about a message. RFC 8601.
///
/// Separate programs verify the message and write their results into headers, which are read here. Each verifier has a
/// name of its own and writes at most one header, above all headers that are there already. A sender can put a header
/// with such a name into a message. If that makes two of them, neither is believed. A single header of the DKIM
/// verifier counts only if it stands above that of the SPF verifier, which runs first and always writes one: whatever
/// came with the message stands below.
package struct AuthenticationResults: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case pass
        /// The verifier could not find out at the time.
        case temporaryError
        /// Every other result: failed, neutral, not signed.
        case other
    }

    package struct Finding: Equatable, Sendable {
        package let outcome: Outcome
        /// The domain of the envelope sender (SPF), or of the signature's `d=` (DKIM); lower case. Nil if the verifier
        /// named none.
        package let domain: String?

        package init(outcome: Outcome, domain: String?) {
            self.outcome = outcome
            self.domain = domain
        }
    }

    package let spf: [Finding]
    /// One finding for each signature. Nil if the verifier has written nothing: OpenDKIM does not for a signature that
    /// it cannot parse, or whose key it cannot fetch at the time, and then leaves forged headers in its name in place.
    /// Nil, too, if a signature has names that could be misread in the verifier's header: see ``DKIMSignature``.
    package let dkim: [Finding]?

    package init(spf: [Finding], dkim: [Finding]?) {
        self.spf = spf
        self.dkim = dkim
    }

    package enum Problem: Error, Equatable {
        /// The header of the SPF verifier is missing, so it probably runs under another name.
        /// - found: the names that are there.
        case missing(authority: String, found: [String])
        /// There is more than one header of the name.
        case ambiguous(authority: String)
    }

    /// - Parameters:
    ///   - headers: in the order of the message.
    ///   - spfAuthority: the name that the verifier of SPF gives itself, lower case.
    ///   - dkimAuthority: that of the verifier of DKIM; another one.
    /// - Throws: ``Problem``
    package init(in headers: [HeaderField], spfAuthority: String, dkimAuthority: String) throws {
        let statements = headers.filter { $0.isNamed("authentication-results") }
            .compactMap { Statement($0.unfolded) }
        /// The index of the header of `authority`; nil if there is none.
        /// - Throws: ``Problem/ambiguous(authority:)`` if there is more than one.
        func place(of authority: String) throws -> Int? {
            let places = statements.indices.filter { statements[$0].authority == authority }
            guard places.count <= 1 else { throw Problem.ambiguous(authority: authority) }
            return places.first
        }
        guard let spf = try place(of: spfAuthority) else {
            throw Problem.missing(authority: spfAuthority, found: statements.map(\.authority))
        }
        self.spf = statements[spf].results.filter { $0.method == "spf" }.map { result in
            // Some verifiers write the address, some only its domain.
            let name = result.properties["smtp.mailfrom"]?.split(separator: "@").last.map { $0.lowercased() }
            return Finding(outcome: result.outcome, domain: name)
        }
        let dkimPlace = try place(of: dkimAuthority).flatMap { $0 < spf ? $0 : nil }
        let isPlain = headers.filter { $0.isNamed("dkim-signature") }.allSatisfy { DKIMSignature.isPlain($0.unfolded) }
        dkim = (isPlain ? dkimPlace.map { statements[$0] } : nil)?.results
            .filter { $0.method == "dkim" }
            .map { Finding(outcome: $0.outcome, domain: $0.properties["header.d"]?.lowercased()) }
    }

    /// Whether a missing proof may become available later.
    package var isInconclusive: Bool {
        guard let dkim else { return true }
        return (spf + dkim).contains { $0.outcome == .temporaryError }
    }
}

/// The names in a signature itself. OpenDKIM copies them into its header as they are, and decodes `i=`: `=3B` becomes a
/// semicolon, after which the signer could write a result for another domain.
private enum DKIMSignature {
    /// Whether the domain, the selector and the signer's identity (RFC 6376 §3.5) consist of the characters of names
    /// and addresses. Other mail is rare, and is deferred.
    static func isPlain(_ value: String) -> Bool {
        value.utf8.split(separator: UInt8(ascii: ";")).allSatisfy { tag in
            guard let equals = tag.firstIndex(of: UInt8(ascii: "=")) else { return true }
            let name = trimmed(tag[..<equals])
            let value = trimmed(tag[tag.index(after: equals)...])
            switch name {
            case "d", "s": return value.utf8.allSatisfy { isName($0) }
            case "i": return value.utf8.allSatisfy { isName($0) || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "+") }
            default: return true
            }
        }
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        let start = bytes.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }.map { start.index(after: $0) } ?? start.startIndex
        return String(Substring(start[..<end])).lowercased()
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// One header: `authority; method=result property=value …; …`.
private struct Statement {
    struct Result {
        let method: String
        let outcome: AuthenticationResults.Outcome
        let properties: [String: String]
    }

    let authority: String
    let results: [Result]

    /// Nil if the name of the verifier cannot be read.
    init?(_ text: String) {
        guard let plain = try? HeaderScanner.withoutComments(text) else { return nil }
        let parts = HeaderScanner.split(plain) { $0 == UInt8(ascii: ";") }
        let head = Self.words(parts[0])
        guard let name = head.first, head.count <= 2 else { return nil }
        authority = HeaderScanner.unquoted(name).lowercased()
        results = parts.dropFirst().compactMap(Self.result)
    }

    private static func words(_ bytes: [UInt8]) -> [[UInt8]] {
        HeaderScanner.split(bytes) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.filter { !$0.isEmpty }
    }

    private static func result(_ part: [UInt8]) -> Result? {
        let pairs = words(part).compactMap { word -> (name: String, value: String)? in
            let halves = HeaderScanner.split(word) { $0 == UInt8(ascii: "=") }
            // A value may contain further `=`, as base64 does.
            guard halves.count >= 2, !halves[0].isEmpty else { return nil }
            let value = halves.dropFirst().joined(separator: [UInt8(ascii: "=")])
            return (HeaderScanner.unquoted(halves[0]).lowercased(), HeaderScanner.unquoted(Array(value)))
        }
        guard let first = pairs.first else { return nil }
        let outcome: AuthenticationResults.Outcome =
            switch first.value.lowercased() {
            case "pass": .pass
            case "temperror": .temporaryError
            default: .other
            }
        // A property that is named twice is ambiguous, so neither value is believed.
        var properties: [String: String] = [:]
        var repeated: Set<String> = []
        for (name, value) in pairs.dropFirst() where properties.updateValue(value, forKey: name) != nil {
            repeated.insert(name)
        }
        return Result(
            method: first.name.split(separator: "/").first.map(String.init) ?? first.name, outcome: outcome,
            properties: properties.filter { !repeated.contains($0.key) })
    }
}
