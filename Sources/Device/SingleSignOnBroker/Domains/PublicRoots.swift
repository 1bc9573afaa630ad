import Foundation
import NIOSSL

/// The certificate authorities that the public knows: Mozilla's list, as Debian's package `ca-certificates` brings it.
///
/// Never the system's own store in `/etc/ssl`: an administrator, or a program that runs as root, can add to that, and
/// what they add must not speak for a domain. docs/specifications/extensible-single-sign-on.md, 8.3 and 9.4.
struct PublicRoots {
    static let folder = "/usr/share/ca-certificates/mozilla"

    struct Missing: Error, CustomStringConvertible {
        let folder: String
        var description: String {
            "the public certificate authorities are not at \(folder): install the package ca-certificates"
        }
    }

    let certificates: [NIOSSLCertificate]

    /// - Parameter selection: where the administrator has crossed some out: that can only take away.
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
