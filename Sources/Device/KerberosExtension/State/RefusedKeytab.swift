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

    /// An attempt of which nobody knows how it ended, because the extension was killed meanwhile. It may have been refused.
    init(_ file: Version, of principal: String, cutOffAt time: Date) {
        self.init(
            file, of: principal,
            KerberosFailure(.other, "an attempt with it was cut off before anybody knew how it ended"), at: time)
    }

    /// Whether nobody knows if it was refused.
    var isCutOff: Bool { kind == .other }

    /// How long a key counts as refused where the account is the reason: one that is locked, disabled or not there yet can be put in
    /// order while the file stays as it is.
    static let pause: TimeInterval = 3600
    /// How long a key counts as wrong. It may be newer than what the KDC knows, which gets it from another one; and an attempt a day
    /// locks no account.
    static let pauseOfWrongKey: TimeInterval = 86_400
    /// The same after an attempt that was cut off, such as by a power failure: most of these keys are right.
    static let pauseAfterCut: TimeInterval = 600

    /// Whether the same would be refused again.
    func counts(for file: Version?, of principal: String?, at now: Date) -> Bool {
        guard self.file == file, principal.map({ $0 == self.principal }) ?? true else { return false }
        let pause = isCutOff ? Self.pauseAfterCut : kind == .wrongPassword ? Self.pauseOfWrongKey : Self.pause
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

    func forget(_ realm: String) {
        folder.remove(Self.file(realm))
        end(realm)
    }

    // MARK: An attempt

    private static func attempt(_ realm: String) -> String { "keytab-tried-\(realm).json" }

    /// Writes down that an attempt begins, because nobody can do it who is killed before it has ended.
    func begin(_ attempt: RefusedKeytab, _ realm: String) {
        do {
            try folder.write(JSONEncoder().encode(attempt), to: Self.attempt(realm))
        } catch {
            writeToLog("that the keytab of \(realm) is tried is not written down: \(error)")
        }
    }

    func end(_ realm: String) { folder.remove(Self.attempt(realm)) }

    /// Takes an attempt that has no end for a refusal, from now on.
    func takeCutAttempt(_ realm: String) {
        guard let data = folder.read(Self.attempt(realm)) else { return }
        defer { end(realm) }
        guard let attempt = try? JSONDecoder().decode(RefusedKeytab.self, from: data) else { return }
        // What is known of its end says more.
        if let refused = read(realm), refused.file == attempt.file, refused.at >= attempt.at { return }
        write(attempt, realm)
    }
}
