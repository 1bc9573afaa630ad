import CommandOutput
import Foundation
import Ground

/// The servers to which this person is signed in on this machine, in `~/.config/lanyard/servers.json`, which only they
/// can read.
struct SignedInServers: Sendable {
    struct Access: Codable, Sendable {
        let accessToken: String
        /// The id of the organization in which the token is valid; empty for a personal account, which belongs to none.
        let organization: String
        let expiresAt: Date
    }

    private let file: URL

    /// - Parameter environment: `XDG_CONFIG_HOME`, or else `HOME`, says where configuration is. XDG Base Directory
    ///   Specification 0.8.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let folder: URL
        if let path = environment["XDG_CONFIG_HOME"], path.hasPrefix("/") {
            folder = URL(fileURLWithPath: path)
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            folder = URL(fileURLWithPath: home).appending(component: ".config")
        } else {
            throw Failure("Neither XDG_CONFIG_HOME nor HOME names a folder in which the sign-in could be kept.")
        }
        file = folder.appending(components: "lanyard", "servers.json")
    }

    /// - Throws: ``Failure`` if there is no sign-in to the server, or it has expired.
    func access(to server: ServerAddress, at now: Date) throws -> Access {
        guard let access = try read()[server.text], access.expiresAt > now else { throw Failure.signIn(to: server) }
        return access
    }

    func keep(_ access: Access, to server: ServerAddress) throws {
        try change { $0[server.text] = access }
    }

    /// - Returns: the sign-in that was stored; nil if there was none.
    func forget(_ server: ServerAddress) throws -> Access? {
        let access = try read()[server.text]
        if access != nil { try change { $0[server.text] = nil } }
        return access
    }

    private func change(_ body: (inout [String: Access]) -> Void) throws {
        var all = try read()
        body(&all)
        let folder = file.deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            // With the program's umask, only the owner can read new files.
            try JSONEncoder.servers.encode(all).write(to: file, options: .atomic)
        } catch {
            throw Failure("The sign-in cannot be kept in \(file.path): check that you may write there.")
        }
    }

    private func read() throws -> [String: Access] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        guard let data = try? Data(contentsOf: file),
            let all = try? JSONDecoder.servers.decode([String: Access].self, from: data)
        else {
            throw Failure("\(file.path) cannot be read. Delete it and sign in again with `lanyard login`.")
        }
        return all
    }
}

extension Failure {
    static func signIn(to server: ServerAddress) -> Failure {
        Failure("You are not signed in to \(server.text). Run `lanyard login --server \(server.text)` first.")
    }
}

extension JSONEncoder {
    fileprivate static var servers: JSONEncoder {
        let encoder = JSONEncoder.readable
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}

extension JSONDecoder {
    fileprivate static var servers: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
