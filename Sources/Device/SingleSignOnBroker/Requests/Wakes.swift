import Ground
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When extensions are asked without a caller, because they have wanted it. docs/specifications/extensible-single-sign-on.md,
/// 19.9. The wishes are kept in a file, so that a broker that was started again knows them.
///
/// A wish is lost neither where the disk is full, because it counts from memory until it can be written; nor where a profile takes
/// the place of another one, because it goes to the payloads that cover what the old one covered; nor where the extension cannot be
/// asked at its time, because the time is used up by the answer alone.
struct Wakes {
    enum Reason: String {
        case time, network
    }

    /// An extension is to be asked now. ``end(_:isAnswered:now:)`` is to be called with its number.
    struct Call: Equatable {
        let number: Int
        /// The payload's.
        let uuid: String
        let reason: Reason
    }

    /// What an extension is being asked.
    private struct Asked {
        let call: Call
        /// The payload's, and those of payloads that have taken its place meanwhile.
        var uuids: Set<String>
        let wish: ExtensionWake?
        /// Whether the time of the wish had come.
        let isDue: Bool
    }

    /// By the payload's UUID.
    private(set) var wishes: [String: ExtensionWake] = [:]
    /// The payloads with wishes, but for those of files of older versions until they are installed. By the payload's UUID.
    private var places: [String: PayloadPlace] = [:]
    /// nil until it is known.
    private var installed: [PayloadPlace]?
    /// The payloads for which it has still to be told that this device may have got a network, and from when on it is.
    private var missed: [String: Date] = [:]
    private var asked: [Asked] = []
    private var calls = 0
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
        let payloads: [PayloadPlace]?
    }

    init(stateFolder: String) {
        path = "\(stateFolder)/wakes.json"
        guard let file = try? OwnedFile.read(path, by: .thisUser, bytesMax: Self.bytesMax),
            let content = try? JSONDecoder().decode(Content.self, from: file.data)
        else { return }
        wishes = content.wishes
        places = Dictionary((content.payloads ?? []).map { ($0.uuid, $0) }) { $1 }
    }

    // MARK: Wishes

    /// Takes the last word of an extension. If its payload has been replaced since the extension was asked, it is one for the payloads
    /// in its place; without any it is forgotten.
    mutating func take(_ wake: ExtensionWake, of payload: PayloadPlace, now: Date) {
        var wake = wake
        wake.at = wake.at.map { min(max($0, now + Self.shortest), now + Self.longest) }
        let isThere = installed?.contains { $0.uuid == payload.uuid } ?? true
        for owner in isThere ? [payload] : heirs(of: payload) {
            set(owner.uuid, wake.at == nil && !wake.isForNetwork ? nil : wake, owner)
        }
    }

    /// - Parameter place: nil if it is not known.
    private mutating func set(_ uuid: String, _ wake: ExtensionWake?, _ place: PayloadPlace?) {
        if wake?.isForNetwork != true { missed[uuid] = nil }
        let place = wake == nil ? nil : place
        guard wishes[uuid] != wake || places[uuid] != place else { return }
        (wishes[uuid], places[uuid]) = (wake, place)
        isUnsaved = true
    }

    /// The payloads whose extensions want to know of networks.
    var forNetwork: [String] { wishes.filter(\.value.isForNetwork).keys.sorted() }

    // MARK: Calls

    /// This device may have got a network.
    mutating func networkMayBeUp(now: Date) {
        for uuid in forNetwork { missed[uuid] = now }
    }

    /// When one of these payloads' extensions is to be asked next; nil if none is.
    func next(where canBeAsked: (_ uuid: String) -> Bool) -> Date? {
        let times = wishes.compactMapValues(\.at).merging(missed) { min($0, $1) }
        return times.filter { !isBeingAsked($0.key) && canBeAsked($0.key) }.values.min()
    }

    /// Begins to ask those of these payloads' extensions for which it is time. Where a network came as well, they are told that: whoever
    /// looks at the network looks at the time, too.
    mutating func begin(at now: Date, where canBeAsked: (_ uuid: String) -> Bool) -> [Call] {
        let due = Set(wishes.filter { Self.hasCome($0.value.at, now, furthest: Self.longest + 3600) }.keys)
        let told = Set(missed.filter { Self.hasCome($0.value, now, furthest: Self.pauseAfterFailure) }.keys)
        var begun: [Call] = []
        for uuid in due.union(told).sorted() where !isBeingAsked(uuid) && canBeAsked(uuid) {
            calls += 1
            let call = Call(number: calls, uuid: uuid, reason: told.contains(uuid) ? .network : .time)
            if call.reason == .network { missed[uuid] = nil }
            asked.append(Asked(call: call, uuids: [uuid], wish: wishes[uuid], isDue: due.contains(uuid)))
            begun.append(call)
        }
        return begun
    }

    /// Also for a time that is too far away: a clock that was set back by much must not keep an extension from being asked.
    private static func hasCome(_ time: Date?, _ now: Date, furthest: TimeInterval) -> Bool {
        time.map { $0 <= now || $0 > now + furthest } ?? false
    }

    private func isBeingAsked(_ uuid: String) -> Bool { asked.contains { $0.uuids.contains(uuid) } }

    /// The extension has answered, or not. Its time is used up by the answer, unless it has named another one meanwhile; otherwise it is
    /// asked for the same reason after a pause.
    mutating func end(_ call: Call, isAnswered: Bool, now: Date) {
        guard let index = asked.firstIndex(where: { $0.call == call }) else { return }
        let asked = asked.remove(at: index)
        for uuid in asked.uuids {
            if asked.isDue, var left = wishes[uuid], left == asked.wish {
                left.at = isAnswered ? nil : now + Self.pauseAfterFailure
                set(uuid, left.at == nil && !left.isForNetwork ? nil : left, places[uuid])
            }
            if !isAnswered, call.reason == .network, wishes[uuid]?.isForNetwork == true, missed[uuid] == nil {
                missed[uuid] = now + Self.pauseAfterFailure
            }
        }
    }

    // MARK: Payloads

    /// Forgets payloads that are not installed. Their wishes go to those that have come in their place and have none.
    mutating func keep(_ installed: [PayloadPlace]) {
        let before = Set((self.installed ?? []).map(\.uuid))
        self.installed = installed
        let uuids = Set(installed.map(\.uuid))
        for (uuid, wake) in wishes.sorted(by: { $0.key < $1.key }) where !uuids.contains(uuid) {
            let (told, heirs) = (missed[uuid], places[uuid].map { self.heirs(of: $0) } ?? [])
            set(uuid, nil, nil)
            for heir in heirs where !before.contains(heir.uuid) && wishes[heir.uuid] == nil {
                set(heir.uuid, wake, heir)
                missed[heir.uuid] = told
                // It is asked already.
                for index in asked.indices where asked[index].uuids.contains(uuid) {
                    asked[index].uuids.insert(heir.uuid)
                }
            }
        }
        // Files of older versions do not say what payloads cover, and a payload may cover something else under the same UUID.
        for place in installed { set(place.uuid, wishes[place.uuid], place) }
    }

    /// The payloads that have taken the place of one that is gone; none unless they cover all that it covered.
    private func heirs(of gone: PayloadPlace) -> [PayloadPlace] {
        guard let installed, gone.isCovered(by: installed) else { return [] }
        return installed.filter(gone.overlaps)
    }

    // MARK: The file

    /// Writes what has changed since it was written.
    /// - Throws: if it cannot be written. It counts all the same, and is written with the next call.
    mutating func save() throws {
        guard isUnsaved else { return }
        let known = places.values.sorted { $0.uuid < $1.uuid }
        let content = Content(wishes: wishes, payloads: known.isEmpty ? nil : known)
        try WholeFile.write(
            try JSONEncoder.stable.encode(content), to: path, mode: 0o600, folderMode: 0o700)
        isUnsaved = false
    }
}

extension ExtensionRequest {
    /// The operation by which an extension is asked without a caller.
    static let wake = "wake"

    init(wakeOf payload: SingleSignOnPayload, _ reason: Wakes.Reason) {
        self.init(Self.wake, of: payload, options: ["reason": .string(reason.rawValue)])
    }
}
