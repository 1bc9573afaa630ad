#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The public certificate authorities: Mozilla's list, from the files of the distribution's own package.
///
/// The system's store in `/etc/ssl` or `/etc/pki` is not used: an administrator, or a program that runs as root, can add authorities
/// there, and these must not speak for a domain. docs/specifications/extensible-single-sign-on.md, 8.3 and 9.4.
package struct PublicRoots {
    /// Where a distribution's package has the list.
    package enum Place: Sendable {
        /// A folder with one `.crt` file in PEM for each authority, and the file in which the administrator has disabled some of
        /// them. It can add none.
        case folder(String, selection: String)
        /// A file for the trust module of p11-kit, and folders with certificates that the administrator does not trust.
        case list(String, blocklists: [String])
    }

    package static let places: [Place] = [
        // Debian, Ubuntu
        .folder("/usr/share/ca-certificates/mozilla", selection: "/etc/ca-certificates.conf"),
        // Fedora, Red Hat, and what is made of them
        .list(
            "/usr/share/pki/ca-trust-source/ca-bundle.trust.p11-kit",
            blocklists: ["/etc/pki/ca-trust/source/blocklist", "/etc/pki/ca-trust/source/blacklist"]),
        // openSUSE
        .list(
            "/usr/share/pki/trust/ca-certificates-mozilla.trust.p11-kit",
            blocklists: ["/etc/pki/trust/blocklist", "/etc/pki/trust/blacklist"]),
        // Arch
        .list(
            "/usr/share/ca-certificates/trust-source/mozilla.trust.p11-kit",
            blocklists: ["/etc/ca-certificates/trust-source/blocklist", "/etc/ca-certificates/trust-source/blacklist"]),
    ]

    package struct Missing: Error, CustomStringConvertible {
        let places: [Place]
        package var description: String {
            let paths = places.map(\.path).joined(separator: ", ")
            return """
                the public certificate authorities are at none of \(paths): install the package ca-certificates, or \
                ca-certificates-mozilla where it is called so
                """
        }
    }

    package let certificates: [Certificate]
    /// Files in which the administrator names what is not trusted, and in which no certificate can be found. What they should take away
    /// is trusted.
    package let unreadBlocklists: [String]

    /// Reads the first place that has any authority.
    /// - Throws: if no authority is left.
    package init(from places: [Place] = places) throws(Missing) {
        for place in places {
            let (found, unread) = place.read()
            guard found.isEmpty else {
                (certificates, unreadBlocklists) = (found, unread)
                return
            }
        }
        throw Missing(places: places)
    }
}

extension PublicRoots.Place {
    fileprivate var path: String {
        switch self {
        case .folder(let path, _), .list(let path, _): path
        }
    }

    fileprivate func read() -> (certificates: [Certificate], unreadBlocklists: [String]) {
        switch self {
        case .folder(let folder, let selection): (Self.certificates(in: folder, selection: selection), [])
        case .list(let path, let blocklists): Self.certificates(listedIn: path, blocklists: blocklists)
        }
    }

    private static func certificates(in folder: String, selection: String) -> [Certificate] {
        let lines = String(decoding: content(of: selection), as: UTF8.self).split(separator: "\n")
        let crossedOut = Set(lines.filter { $0.hasPrefix("!mozilla/") }.map { $0.dropFirst(9) })
        return names(in: folder).filter { $0.hasSuffix(".crt") && !crossedOut.contains($0[...]) }.flatMap {
            Certificate.all(inPEM: content(of: "\(folder)/\($0)"))
        }
    }

    private static func certificates(
        listedIn path: String, blocklists: [String]
    ) -> (certificates: [Certificate], unreadBlocklists: [String]) {
        var (blocked, unread): ([Certificate], [String]) = ([], [])
        for file in blocklists.flatMap({ folder in names(in: folder).map { "\(folder)/\($0)" } }) {
            let found = certificates(inAnyFormat: file)
            blocked += found
            if found.isEmpty { unread.append(file) }
        }
        let authorities = TrustList(String(decoding: content(of: path), as: UTF8.self)).authorities
        return (authorities.filter { !blocked.contains($0) }, unread)
    }

    /// The formats that the distributions' own tools take: PEM, DER, and that of p11-kit.
    private static func certificates(inAnyFormat file: String) -> [Certificate] {
        let data = content(of: file)
        if let certificate = Certificate(data) { return [certificate] }
        let found = TrustList(String(decoding: data, as: UTF8.self)).certificates
        return found.isEmpty ? Certificate.all(inPEM: data) : found
    }

    /// - Returns: nothing if the file cannot be read.
    private static func content(of file: String) -> Data { FileManager.default.contents(atPath: file) ?? Data() }

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}
