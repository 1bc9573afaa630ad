import Foundation
import NIOSSL

/// The public certificate authorities: Mozilla's list, from Debian's package `ca-certificates`.
///
/// The system's store in `/etc/ssl` is not used: an administrator, or a program that runs as root, can add authorities
/// there, and these must not speak for a domain. docs/specifications/extensible-single-sign-on.md, 8.3 and 9.4.
struct PublicRoots {
    static let folder = "/usr/share/ca-certificates/mozilla"

    struct Missing: Error, CustomStringConvertible {
        let folder: String
        var description: String {
            "the public certificate authorities are not at \(folder): install the package ca-certificates"
        }
    }

    let certificates: [NIOSSLCertificate]

    /// - Parameters:
    ///   - folder: holds one `.crt` file in PEM for each authority.
    ///   - selection: the file in which the administrator has disabled some of them. It can add none.
    /// - Throws: if no authority is left.
    init(from folder: String = folder, selection: String = "/etc/ca-certificates.conf") throws(Missing) {
        let text = FileManager.default.contents(atPath: selection).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let crossedOut = Set(text.split(separator: "\n").filter { $0.hasPrefix("!mozilla/") }.map { $0.dropFirst(9) })
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        certificates = names.sorted().filter { $0.hasSuffix(".crt") && !crossedOut.contains($0[...]) }.flatMap {
            (try? NIOSSLCertificate.fromPEMFile("\(folder)/\($0)")) ?? []
        }
        guard !certificates.isEmpty else { throw Missing(folder: folder) }
    }
}
