import KerberosProfile
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// Files of an administrator or the person that a payload cannot carry: keys, certificates, authorities.
///
/// They lie in `/etc/lanyard/sso/kerberos`, or for one person in `lanyard/sso/kerberos` below `XDG_CONFIG_HOME`, which counts
/// first: `REALM.keytab` with the keys of a device that signs in by itself; `UUID.p12` or `UUID.pem`, named as the payload's
/// `certificateUUID`, with a certificate and its key; `REALM.authorities.pem` with the authorities of the KDC's certificate;
/// `pkcs11-module`, which holds the path of the library for smart cards; and `kcm-socket`, which holds the path of the socket
/// of SSSD's keeper of tickets.
struct DeviceFiles: Sendable {
    let folders: [String]

    static var standard: DeviceFiles {
        func environment(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let own = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { "\($0)/.config" }
        return DeviceFiles(folders: (own.map { ["\($0)/lanyard/sso/kerberos"] } ?? []) + ["/etc/lanyard/sso/kerberos"])
    }

    /// - Returns: the path of the first file of one of these names that can be read.
    private func find(_ names: String...) -> String? {
        for folder in folders {
            for name in names where !name.contains("/") && !name.hasPrefix(".") {
                if access("\(folder)/\(name)", R_OK) == 0 { return "\(folder)/\(name)" }
            }
        }
        return nil
    }

    func keytab(of realm: String) -> String? { find("\(realm).keytab") }

    func authorities(of realm: String) -> String? { find("\(realm).authorities.pem") }

    /// - Returns: as MIT Kerberos names it.
    func certificate(_ uuid: String?) -> String? {
        guard let uuid, let path = find("\(uuid).p12", "\(uuid).pem") else { return nil }
        return path.hasSuffix(".p12") ? "PKCS12:\(path)" : "FILE:\(path)"
    }

    /// The library that speaks with smart cards: the one that an administrator names.
    var smartCardModule: String? {
        if let path = find("pkcs11-module"), let text = Self.line(path), access(text, R_OK) == 0 { return text }
        return nil
    }

    /// The socket of SSSD's keeper of tickets that an administrator names.
    var keeperSocket: String? { find("kcm-socket").flatMap(Self.line) }

    private static func line(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 4096)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        let bytes = buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix("/") ? text : nil
    }
}
