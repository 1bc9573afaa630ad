import Foundation

/// The verifier of SPF on this machine, as far as Lanyard has to know it.
///
/// Debian's `pyspf-milter` asks for names through one of two libraries. `python3-dns` takes the answer of a name server
/// that failed for "there is no such record": a sender who could be verified a minute later looks like one who never
/// can. `python3-dnspython` tells the two apart. The package is satisfied with either.
package struct SPFVerifier: Sendable {
    /// Below this folder the verifier and its library are looked for; tests give another than the file system's root.
    private let root: String

    package init(root: String = "/") { self.root = root }

    /// Whether "not proven" in what it writes is known to mean that. A verifier that is not Debian's is believed.
    ///
    /// Asked anew each time: the library can be installed while the server runs.
    package var tellsFailures: Bool {
        guard exists("usr/bin/pyspf-milter") else { return true }
        return exists("usr/lib/python3/\(Self.library)")
            || Self.pythonFolders(of: path("usr/local/lib")).contains { exists("usr/local/lib/\($0)/\(Self.library)") }
    }

    /// What is missing if it does not.
    package static let package = "python3-dnspython"

    private static let library = "dist-packages/dns/resolver.py"

    /// Such as `python3.11`, where an administrator's own packages are.
    private static func pythonFolders(of folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.filter { $0.hasPrefix("python3") } ?? []
    }

    private func path(_ relative: String) -> String { root.hasSuffix("/") ? root + relative : "\(root)/\(relative)" }

    private func exists(_ relative: String) -> Bool { FileManager.default.fileExists(atPath: path(relative)) }
}
