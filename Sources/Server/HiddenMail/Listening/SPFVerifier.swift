import Foundation

/// What Lanyard needs to know about the SPF verifier on this machine.
///
/// Debian's `pyspf-milter` resolves names with one of two libraries, and its package accepts either. With
/// `python3-dns`, a failing name server looks like a missing record: a sender who could be verified a minute later
/// looks like one who can never be. `python3-dnspython` tells the two apart.
package struct SPFVerifier: Sendable {
    /// The folder below which the verifier and its library are looked for: the root of the file system, or another
    /// folder in tests.
    private let root: String

    package init(root: String = "/") { self.root = root }

    /// Whether the verifier reports a failing name server as such. Verifiers other than Debian's are assumed to.
    ///
    /// Checked on every call, because the library can be installed while the server runs.
    package var tellsFailures: Bool {
        guard exists("usr/bin/pyspf-milter") else { return true }
        return exists("usr/lib/python3/\(Self.library)")
            || Self.pythonFolders(of: path("usr/local/lib")).contains { exists("usr/local/lib/\($0)/\(Self.library)") }
    }

    /// The Debian package to install if ``tellsFailures`` is false.
    package static let package = "python3-dnspython"

    private static let library = "dist-packages/dns/resolver.py"

    /// Folders such as `python3.11`, in which packages installed by an administrator are.
    private static func pythonFolders(of folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.filter { $0.hasPrefix("python3") } ?? []
    }

    private func path(_ relative: String) -> String { root.hasSuffix("/") ? root + relative : "\(root)/\(relative)" }

    private func exists(_ relative: String) -> Bool { FileManager.default.fileExists(atPath: path(relative)) }
}
