import Foundation
import Ground
import SingleSignOn
import SingleSignOnWire

/// When extensions are asked without a caller, because they have wanted it. docs/specifications/extensible-single-sign-on.md,
/// 19.9. It is kept in a file, so that a broker that was started again knows it.
struct Wakes {
    enum Reason: String {
        case time, network
    }

    /// By the payload's UUID.
    private(set) var wishes: [String: ExtensionWake] = [:]
    private let path: String

    /// A time that is nearer is put off, so that no extension keeps the device busy.
    static let shortest: TimeInterval = 5
    static let longest: TimeInterval = 30 * 24 * 3600
    /// How long after a start that has failed the extension is asked again.
    static let pauseAfterFailure: TimeInterval = 300

    private static let bytesMax = 1 << 20

    private struct Content: Codable {
        let wishes: [String: ExtensionWake]
    }

    init(stateFolder: String) {
        path = "\(stateFolder)/wakes.json"
        guard let file = try? OwnedFile.read(path, by: .thisUser, bytesMax: Self.bytesMax),
            let content = try? JSONDecoder().decode(Content.self, from: file.data)
        else { return }
        wishes = content.wishes
    }

    /// The next time; nil if there is none.
    var next: Date? { wishes.values.compactMap(\.at).min() }

    /// - Throws: if it cannot be written down. It counts all the same until the broker ends.
    mutating func take(_ wake: ExtensionWake, of uuid: String, now: Date) throws {
        var wake = wake
        wake.at = wake.at.map { min(max($0, now + Self.shortest), now + Self.longest) }
        let new = wake.at == nil && !wake.isForNetwork ? nil : wake
        guard wishes[uuid] != new else { return }
        wishes[uuid] = new
        try write()
    }

    /// - Returns: the payloads whose time has come, which is used up by that.
    mutating func takeDue(at now: Date) throws -> [String] {
        // A clock that was set back by much must not keep an extension from being asked.
        let due = wishes.filter { $1.at.map { $0 <= now || $0 > now + Self.longest + 3600 } ?? false }.keys.sorted()
        guard !due.isEmpty else { return [] }
        for uuid in due {
            wishes[uuid]?.at = nil
            if wishes[uuid]?.isForNetwork == false { wishes[uuid] = nil }
        }
        try write()
        return due
    }

    /// The payloads whose extensions want to know of networks.
    var forNetwork: [String] { wishes.filter(\.value.isForNetwork).keys.sorted() }

    /// Forgets payloads that are not installed.
    mutating func keep(_ uuids: Set<String>) throws {
        let kept = wishes.filter { uuids.contains($0.key) }
        guard kept.count != wishes.count else { return }
        wishes = kept
        try write()
    }

    private func write() throws {
        try WholeFile.write(
            try JSONEncoder.stable.encode(Content(wishes: wishes)), to: path, mode: 0o600, folderMode: 0o700)
    }
}

extension ExtensionRequest {
    /// The operation by which an extension is asked without a caller.
    static let wake = "wake"

    init(wakeOf payload: SingleSignOnPayload, _ reason: Wakes.Reason) {
        self.init(Self.wake, of: payload, options: ["reason": .string(reason.rawValue)])
    }
}
