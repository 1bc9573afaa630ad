import Foundation

extension MasterKey {
    /// The key as a credential of systemd: the file `master-key` in the folder that systemd has made for this service. See “System and
    /// Service Credentials” in systemd's documentation.
    /// - Returns: its path, or nil if the service was given none.
    package static func credential(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return nil }
        let path = "\(folder)/master-key"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// systemd opens a credential to the service's user by an access list, and the file then shows the list's mask where the rights of
    /// the group usually are. The folder is closed to everybody else.
    static func isCredential(_ path: String) -> Bool { path == credential() }
}
