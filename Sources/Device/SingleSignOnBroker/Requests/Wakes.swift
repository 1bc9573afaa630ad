import Foundation
import Ground
import SingleSignOn
import SingleSignOnWire

/// When extensions are asked without a caller, because they have wanted it. docs/specifications/extensible-single-sign-on.md,
/// 19.9. It is kept in a file, so that a broker that was started again knows it.
///
/// A wish is lost neither where the disk is full, because it counts from memory until it can be written; nor where a profile takes
/// the place of another one, because it goes to the payload for the same extension and realm; nor where the extension cannot be
/// asked at its time, because the time is used up by the answer alone.
struct Wakes {
    enum Reason: String {
        case time, network
    }

    /// Whose wish it is.
    struct Payload: Codable, Equatable {
        let uuid: String
        let extensionIdentifier: String
        let realm: String?

        fileprivate func hasSamePlace(as other: Payload) -> Bool {
            extensionIdentifier == other.extensionIdentifier && realm == other.realm
        }
    }

    /// By the payload's UUID.
    private(set) var wishes: [String: ExtensionWake] = [:]
    /// The payloads with wishes, but for those of files of older versions. By the payload's UUID.
    private var payloads: [String: Payload] = [:]
    /// Whether something is not on the disk yet.
    private(set) var isUnsaved = false
    private let path: String

    /// A time that is nearer is put off, so that no extension keeps the device busy.
    static let shortest: TimeInterval = 5
    static let longest: TimeInterval = 30 * 24 * 3600
    /// How long after a start that has failed the extension is asked again.
    static let pauseAfterFailure: TimeInterval = 300

    private static let bytesMax = 1 << 20

    private struct Content: Codable {
        let wishes: [String: ExtensionWake]
        let payloads: [Payload]?
    }

    init(stateFolder: String) {
        path = "\(stateFolder)/wakes.json"
        guard let file = try? OwnedFile.read(path, by: .thisUser, bytesMax: Self.bytesMax),
            let content = try? JSONDecoder().decode(Content.self, from: file.data)
        else { return }
        wishes = content.wishes
        payloads = Dictionary((content.payloads ?? []).map { ($0.uuid, $0) }) { $1 }
    }

    mutating func take(_ wake: ExtensionWake, of payload: Payload, now: Date) {
        var wake = wake
        wake.at = wake.at.map { min(max($0, now + Self.shortest), now + Self.longest) }
        set(payload.uuid, wake.at == nil && !wake.isForNetwork ? nil : wake, payload)
    }

    /// - Parameter payload: nil if it is not known.
    private mutating func set(_ uuid: String, _ wake: ExtensionWake?, _ payload: Payload?) {
        guard wishes[uuid] != wake else { return }
        wishes[uuid] = wake
        payloads[uuid] = wake == nil ? nil : payload
        isUnsaved = true
    }

    /// The next time of these payloads; nil if there is none.
    func next(where counts: (_ uuid: String) -> Bool) -> Date? {
        wishes.filter { $1.at != nil && counts($0) }.values.compactMap(\.at).min()
    }

    /// The payloads whose time has come. It stays until the extension has answered.
    func due(at now: Date) -> [String] {
        // A clock that was set back by much must not keep an extension from being asked.
        wishes.filter { $1.at.map { $0 <= now || $0 > now + Self.longest + 3600 } ?? false }.keys.sorted()
    }

    /// The extension has been asked at its time. If it has named another one meanwhile, that stays.
    mutating func useUp(_ wake: ExtensionWake?, of uuid: String) {
        guard var left = wishes[uuid], left == wake else { return }
        left.at = nil
        set(uuid, left.isForNetwork ? left : nil, payloads[uuid])
    }

    /// The payloads whose extensions want to know of networks.
    var forNetwork: [String] { wishes.filter(\.value.isForNetwork).keys.sorted() }

    /// Forgets payloads that are not installed. Their wishes go to those in their place that have none.
    mutating func keep(_ installed: [Payload]) {
        let uuids = Set(installed.map(\.uuid))
        for (uuid, wake) in wishes.sorted(by: { $0.key < $1.key }) where !uuids.contains(uuid) {
            let gone = payloads[uuid]
            set(uuid, nil, nil)
            for other in installed where gone.map(other.hasSamePlace) == true && wishes[other.uuid] == nil {
                set(other.uuid, wake, other)
            }
        }
    }

    /// Writes what has changed since it was written.
    /// - Throws: if it cannot be written. It counts all the same, and is written with the next call.
    mutating func save() throws {
        guard isUnsaved else { return }
        let known = payloads.values.sorted { $0.uuid < $1.uuid }
        let content = Content(wishes: wishes, payloads: known.isEmpty ? nil : known)
        try WholeFile.write(
            try JSONEncoder.stable.encode(content), to: path, mode: 0o600, folderMode: 0o700)
        isUnsaved = false
    }
}

extension Wakes.Payload {
    init(_ payload: SingleSignOnPayload) {
        (uuid, extensionIdentifier, realm) = (payload.uuid, payload.extensionIdentifier, payload.realm)
    }
}

extension ExtensionRequest {
    /// The operation by which an extension is asked without a caller.
    static let wake = "wake"

    init(wakeOf payload: SingleSignOnPayload, _ reason: Wakes.Reason) {
        self.init(Self.wake, of: payload, options: ["reason": .string(reason.rawValue)])
    }
}
