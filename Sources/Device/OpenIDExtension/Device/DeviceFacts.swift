import CSecretService
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// What a provider may want to know about a device before it trusts it. No fact identifies a single device. A fact that
/// cannot be determined is nil and left out of the claims.
struct DeviceFacts: Sendable, Equatable {
    /// `ID` of os-release, such as `debian`.
    var system: String?
    /// `VERSION_ID` of os-release, such as `12`.
    var systemVersion: String?
    /// Whether the root file system is on an encrypted disk.
    var hasEncryptedDisk: Bool?
    /// Whether a screen locker runs on this desktop.
    var hasScreenLock: Bool?

    static func read() -> DeviceFacts {
        let release = osRelease(text(of: "/etc/os-release") ?? text(of: "/usr/lib/os-release") ?? "")
        let locker = lanyard_screen_locker()
        return DeviceFacts(
            system: release["ID"], systemVersion: release["VERSION_ID"], hasEncryptedDisk: isRootEncrypted(),
            hasScreenLock: locker < 0 ? nil : locker == 1)
    }

    var claims: [String: PropertyListValue] {
        var claims: [String: PropertyListValue] = [:]
        claims["os"] = system.map { .string($0) }
        claims["osVersion"] = systemVersion.map { .string($0) }
        claims["diskEncryption"] = hasEncryptedDisk.map { .boolean($0) }
        claims["screenLock"] = hasScreenLock.map { .boolean($0) }
        return claims
    }

    static func osRelease(_ text: String) -> [String: String] {
        Dictionary(
            text.split(separator: "\n").compactMap { line in
                let pair = line.split(separator: "=", maxSplits: 1)
                return pair.count == 2 ? (String(pair[0]), pair[1].filter { $0 != "\"" && $0 != "'" }) : nil
            }
        ) { $1 }
    }

    private static func isRootEncrypted() -> Bool? {
        var information = stat()
        guard stat("/", &information) == 0 else { return nil }
        let device = "\(major(information.st_dev)):\(minor(information.st_dev))"
        return isEncrypted(device: "/sys/dev/block/\(device)", depth: 0)
    }

    /// Looks for a dm-crypt device (its `dm/uuid` begins with `CRYPT-`) below a block device, all the way down.
    /// - Returns: nil if that cannot be determined.
    private static func isEncrypted(device: String, depth: Int) -> Bool? {
        guard depth < 8, access(device, R_OK) == 0 else { return nil }
        if let uuid = text(of: "\(device)/dm/uuid"), uuid.hasPrefix("CRYPT-") { return true }
        guard let below = try? FileManager.default.contentsOfDirectory(atPath: "\(device)/slaves"), !below.isEmpty
        else { return false }
        let answers = below.map { isEncrypted(device: "\(device)/slaves/\($0)", depth: depth + 1) }
        return answers.contains(nil) ? nil : !answers.contains(false)
    }

    private static func major(_ device: dev_t) -> UInt { device >> 8 & 0xfff | device >> 32 & ~0xfff }

    private static func minor(_ device: dev_t) -> UInt { device & 0xff | device >> 12 & 0xffffff00 }

    private static func text(of path: String) -> String? {
        (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) }
    }
}
