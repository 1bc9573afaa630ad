import ExtensionVault
import SingleSignOnExtension

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// That a KDC has refused a keytab. Nobody is there to notice it, and whoever asks with a wrong key time and again has the account
/// locked. So the key is not tried again before the file has changed, or a good while has passed. It is written down, because the
/// extension ends between requests.
struct RefusedKeytab: Codable, Equatable, Sendable {
    let file: Version
    /// Whose key it is, with the realm.
    let principal: String
    let at: Date
    let kind: KerberosFailure.Kind
    let code: Int32
    /// The KDC's reason, in the library's words.
    let reason: String

    /// A file as it is at one time: one that is written anew, or put in its place, has another.
    struct Version: Codable, Equatable, Sendable {
        let path: String
        let number: UInt64
        let bytes: Int
        /// Since 1970, when the file's content or its description was last changed. Unlike the time of the content alone, which
        /// programs that copy files set back, nobody can set it.
        let seconds: Int
        let nanoseconds: Int

        /// - Returns: nil if there is no such file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.path = path
            (number, bytes) = (UInt64(status.st_ino), Int(status.st_size))
            (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    init(_ file: Version, of principal: String, _ failure: KerberosFailure, at time: Date) {
        (self.file, self.principal, at) = (file, principal, time)
        (kind, code, reason) = (failure.kind, failure.code, failure.message)
    }

    /// How long a key counts as refused where the account is the reason: one that is locked, disabled or not there yet can be put in
    /// order while the file stays as it is.
    static let pause: TimeInterval = 3600
    /// How long a key counts as wrong. It may be newer than what the KDC knows, which gets it from another one; and an attempt a day
    /// locks no account.
    static let pauseOfWrongKey: TimeInterval = 86_400

    /// Whether the same would be refused again.
    func counts(for file: Version?, of principal: String?, at now: Date) -> Bool {
        guard self.file == file, principal.map({ $0 == self.principal }) ?? true else { return false }
        let pause = kind == .wrongPassword ? Self.pauseOfWrongKey : Self.pause
        return (0..<pause).contains(now.timeIntervalSince(at))
    }

    var failure: KerberosFailure {
        KerberosFailure(kind, code: code, "\(file.path) was refused and is not tried now: \(reason)")
    }
}

/// The refused keytab of each realm.
struct RefusedKeytabs: Sendable {
    let folder: ExtensionFolder

    private static func file(_ realm: String) -> String { "keytab-\(realm).json" }

    func read(_ realm: String) -> RefusedKeytab? {
        folder.read(Self.file(realm)).flatMap { try? JSONDecoder().decode(RefusedKeytab.self, from: $0) }
    }

    func write(_ refused: RefusedKeytab, _ realm: String) {
        do {
            try folder.write(JSONEncoder().encode(refused), to: Self.file(realm))
        } catch {
            writeToLog("that the keytab of \(realm) is refused is not written down: \(error)")
        }
    }

    func forget(_ realm: String) { folder.remove(Self.file(realm)) }
}
