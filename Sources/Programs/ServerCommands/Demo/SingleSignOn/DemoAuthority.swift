import Crypto
import Foundation

/// The demo's own certificate authority, with a certificate for the demo's servers. Only the demo trusts it.
struct DemoAuthority {
    static let host = "id.maple.localhost"
    private static let names = "subjectAltName=DNS:\(host),DNS:\(DemoDomain.intranet)\n"

    /// The authority's certificate in PEM.
    let authority: String
    /// The paths of the files.
    let authorityFile: String
    let certificateFile: String
    let keyFile: String

    /// SHA-256 of the server's public key in Base64, for the option that makes a browser accept its certificate.
    func keyHash() throws -> String {
        let key = try P256.Signing.PrivateKey(pemRepresentation: try String(contentsOfFile: keyFile, encoding: .utf8))
        return Data(SHA256.hash(data: key.publicKey.derRepresentation)).base64EncodedString()
    }

    /// Reads the certificates of an earlier start. Makes new ones if there are none or they have expired.
    static func find(in folder: String) throws -> DemoAuthority {
        func path(_ name: String) -> String { "\(folder)/\(name)" }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let isFresh = [path("authority.pem"), path("server.pem")].allSatisfy {
            (try? openssl(["x509", "-in", $0, "-noout", "-checkend", "86400"])) != nil
        }
        let names = try? String(contentsOfFile: path("names"), encoding: .utf8)
        if !isFresh || names != Self.names {
            let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
            try openssl(
                ["req", "-x509", "-days", "90", "-subj", "/CN=Lanyard demo", "-keyout", path("authority.key")] + key
                    + ["-out", path("authority.pem"), "-addext", "basicConstraints=critical,CA:TRUE"])
            try openssl(
                ["req", "-subj", "/CN=\(host)", "-keyout", path("server.key"), "-out", path("server.csr")] + key)
            try Data(Self.names.utf8).write(to: URL(fileURLWithPath: path("names")))
            try openssl([
                "x509", "-req", "-days", "30", "-in", path("server.csr"), "-CA", path("authority.pem"), "-CAkey",
                path("authority.key"), "-CAcreateserial", "-extfile", path("names"), "-out", path("server.pem"),
            ])
        }
        return DemoAuthority(
            authority: try String(contentsOfFile: path("authority.pem"), encoding: .utf8),
            authorityFile: path("authority.pem"), certificateFile: path("server.pem"), keyFile: path("server.key"))
    }

    /// - Throws: ``Failure`` if openssl fails.
    private static func openssl(_ arguments: [String]) throws {
        try InstalledProgram.run("/usr/bin/env", ["openssl"] + arguments)
    }
}
