import ArgumentParser
import SingleSignOn

/// The folders of installed profiles. The defaults are those of the broker; developers who run their own broker give
/// both programs the same other folders.
struct ProfileStoreOptions: ParsableArguments {
    @Option(name: .customLong("device-profiles"), help: "The folder of the device's profiles.", completion: .directory)
    var deviceFolder: String?

    @Option(
        name: .customLong("drop-ins"),
        help: """
            A further folder of the device's profiles, into which files are put by hand; with --device-profiles there is none \
            unless this names it.
            """, completion: .directory)
    var dropInFolder: String?

    @Option(name: .customLong("user-profiles"), help: "The folder of the user's profiles.", completion: .directory)
    var userFolder: String?

    @Option(help: "The file with what the device's administrator says about profiles.", completion: .file())
    var policy: String?

    @Flag(help: "Profiles of the user count even if the policy does not allow them.")
    var allowUserProfiles = false

    /// Whether all options have their default.
    var areStandard: Bool {
        deviceFolder == nil && dropInFolder == nil && userFolder == nil && policy == nil && !allowUserProfiles
    }

    var store: ProfileStore {
        var locations = ProfileStore.Locations.standard()
        if let deviceFolder { (locations.device, locations.dropIns) = (deviceFolder, nil) }
        if let dropInFolder { locations.dropIns = dropInFolder }
        if let userFolder { locations.user = userFolder }
        if let policy { locations.policy = policy }
        return ProfileStore(locations, allowsUserProfiles: allowUserProfiles)
    }
}

extension ProfileStore.Locations {
    /// The folders in a sentence: “A and B”, or “A, B and C”.
    var folders: String {
        let folders = [device, dropIns, user].compactMap(\.self)
        guard folders.count > 1 else { return folders.joined() }
        return folders.dropLast().joined(separator: ", ") + " and \(folders[folders.count - 1])"
    }
}

/// `--user`
struct ProfileKindOption: ParsableArguments {
    @Flag(name: .customLong("user"), help: "Your own profiles instead of the device's.")
    var isUser = false

    var kind: ProfileStore.Kind { isUser ? .user : .device }
}
