import ArgumentParser
import SingleSignOn

/// The folders of installed profiles. The defaults are those of the broker; developers who run their own broker give
/// both programs the same other folders.
struct ProfileStoreOptions: ParsableArguments {
    @Option(name: .customLong("device-profiles"), help: "The folder of the device's profiles.", completion: .directory)
    var deviceFolder: String?

    @Option(name: .customLong("user-profiles"), help: "The folder of the user's profiles.", completion: .directory)
    var userFolder: String?

    @Option(help: "The file with what the device's administrator says about profiles.", completion: .file())
    var policy: String?

    @Flag(help: "Profiles of the user count even if the policy does not allow them.")
    var allowUserProfiles = false

    /// Whether all options have their default.
    var areStandard: Bool { deviceFolder == nil && userFolder == nil && policy == nil && !allowUserProfiles }

    var store: ProfileStore {
        var locations = ProfileStore.Locations.standard()
        if let deviceFolder { locations.device = deviceFolder }
        if let userFolder { locations.user = userFolder }
        if let policy { locations.policy = policy }
        return ProfileStore(locations, allowsUserProfiles: allowUserProfiles)
    }
}

extension ProfileStore.Locations {
    /// The folders in a sentence: “A and B”.
    var folders: String { [device, user].compactMap(\.self).joined(separator: " and ") }
}

/// `--user`
struct ProfileKindOption: ParsableArguments {
    @Flag(name: .customLong("user"), help: "Your own profiles instead of the device's.")
    var isUser = false

    var kind: ProfileStore.Kind { isUser ? .user : .device }
}
