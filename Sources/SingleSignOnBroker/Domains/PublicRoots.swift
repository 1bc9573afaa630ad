import Foundation
import NIOSSL

/// The certificate authorities that the public knows: Mozilla's list, as Debian's package `ca-certificates` brings it.
///
/// Never the system's own store in `/etc/ssl`: an administrator, or a program that runs as root, can add to that, and
/// what they add must not speak for a domain. extensible-sso.md sections 3.4 and 3.5, step 4.
struct PublicRoots {
    static let folder = "/usr/share/ca-certificates/mozilla"

    struct Missing: Error, CustomStringConvertible {
        let folder: String
        var description: String {
            "the public certificate authorities are not at \(folder): install the package ca-certificates"
        }
    }

    /// Read for each use and kept by nobody: together they take more memory than the rest of an idle broker.
    static func load(from folder: String = folder) throws(Missing) -> [NIOSSLCertificate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let roots = names.sorted().filter { $0.hasSuffix(".crt") }.flatMap {
            (try? NIOSSLCertificate.fromPEMFile("\(folder)/\($0)")) ?? []
        }
        guard !roots.isEmpty else { throw Missing(folder: folder) }
        return roots
    }
}
