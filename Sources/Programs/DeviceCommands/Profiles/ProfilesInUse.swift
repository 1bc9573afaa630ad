import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

/// The profiles that a command works with: those of the broker that answers, unless options name other folders.
struct ProfilesInUse {
    let store: ProfileStore
    /// The socket of the broker that uses them; nil if none was asked or none answered.
    let broker: String?
    /// The folder for state of the broker that answers; nil if none answers.
    let stateFolder: String?
    /// A sentence on where the profiles come from; nil if options name the folders.
    let place: String?

    init(_ places: ProfileStoreOptions) async {
        let client = BrokerClient()
        var answer: BrokerStatus?
        var problem = "The broker at \(client.socketPath) is an older one, and does not say where its profiles are."
        do {
            answer = try await client.status()
        } catch {
            problem = "\(error)"
        }
        stateFolder = answer?.stateFolder
        if !places.areStandard {
            (store, broker, place) = (places.store, nil, nil)
        } else if let used = answer?.profilePlaces {
            store = ProfileStore(
                .init(device: used.device, dropIns: used.dropIns, user: used.user, policy: used.policy),
                allowsUserProfiles: used.allowsUserProfiles)
            broker = client.socketPath
            place = "The broker at \(client.socketPath) looks into \(store.locations.folders)."
        } else {
            (store, broker) = (places.store, nil)
            place = "\(problem) This was looked up in \(store.locations.folders)."
        }
    }
}
