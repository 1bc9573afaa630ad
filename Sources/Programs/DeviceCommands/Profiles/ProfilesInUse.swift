import SingleSignOn
import SingleSignOnClient
import SingleSignOnWire

/// The profiles that count for who types a command: those of the broker that answers, as far as no option names others.
struct ProfilesInUse {
    let store: ProfileStore
    /// The socket of the broker whose they are; nil if none was asked, or none answered.
    let broker: String?
    /// Where the broker that answers keeps what is to be kept; nil if none answers.
    let stateFolder: String?
    /// A sentence for a person on where they come from; nil if options say so.
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
                .init(device: used.device, user: used.user, policy: used.policy),
                allowsUserProfiles: used.allowsUserProfiles)
            broker = client.socketPath
            place = "The broker at \(client.socketPath) looks into \(store.locations.folders)."
        } else {
            (store, broker) = (places.store, nil)
            place = "\(problem) This was looked up in \(store.locations.folders)."
        }
    }
}
