import Foundation

/// Keys and certificates made by the `openssl` command, in a folder that goes with this.
package final class TestCertificates: Sendable {
    package struct Certificate: Sendable {
        /// PEM.
        package let path: String
        package let keyPath: String

        package var pem: Data { FileManager.default.contents(atPath: path) ?? Data() }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lanyard-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    package func authority(_ name: String) throws -> Certificate {
        try certificate(
            name, extensions: "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign", days: 30)
    }

    /// - Parameters:
    ///   - name: the common name.
    ///   - issuer: nil for one that vouches for itself.
    ///   - days: how long it is valid; negative for one that has expired.
    package func certificate(
        _ name: String, by issuer: Certificate? = nil, extensions: String = "", days: Int = 30
    ) throws -> Certificate {
        let file = UUID().uuidString
        let (key, request, path) = (at("\(file).key"), at("\(file).csr"), at("\(file).pem"))
        let configuration = at("\(file).cnf")
        try Data(extensions.utf8).write(to: URL(fileURLWithPath: configuration))
        try run([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
            request, "-subj", "/O=Acme/CN=\(name)", "-utf8",
        ])
        let signing = issuer.map { ["-CA", $0.path, "-CAkey", $0.keyPath] } ?? ["-signkey", key]
        try run(
            ["x509", "-req", "-in", request, "-out", path, "-days", "\(days)", "-extfile", configuration] + signing)
        return Certificate(path: path, keyPath: key)
    }

    /// A CMS wrapper around bytes, DER.
    package func sign(_ content: Data, with signers: [Certificate], options: [String] = ["-nodetach"]) throws -> Data {
        let (input, output) = (at(UUID().uuidString), at(UUID().uuidString))
        try content.write(to: URL(fileURLWithPath: input))
        try run(
            ["cms", "-sign", "-binary", "-in", input, "-out", output, "-outform", "DER"]
                + signers.flatMap { ["-signer", $0.path, "-inkey", $0.keyPath] } + options)
        return try Data(contentsOf: URL(fileURLWithPath: output))
    }

    private func at(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: String(decoding: text, as: UTF8.self))
        }
    }
}
