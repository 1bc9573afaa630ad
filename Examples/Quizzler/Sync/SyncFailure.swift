import LanyardAPI
import LanyardClient

/// Why a sync failed, as far as people need to know.
enum SyncFailure: Equatable {
    /// The organization has revoked its consent.
    case consentGone
    /// The consent is in force, but the organization's access rule does not let Quizzler read its roster.
    case notShared
    case busy
    case unreachable
    case other

    init(_ error: any Error) {
        switch error as? LanyardClientError {
        case .oauth(.invalidGrant, _, _), .roster(status: 401, _, _, _): self = .consentGone
        case .roster(status: 403, _, _, _): self = .notShared
        case .rateLimited: self = .busy
        case .transport: self = .unreachable
        default: self = .other
        }
    }

    func message(for organizationName: String) -> String {
        switch self {
        case .consentGone:
            "\(organizationName.isolated) has revoked its consent."
        case .notShared:
            "\(organizationName.isolated) no longer shares its roster with Quizzler (403). "
                + "Its administrators decide about that."
        case .busy:
            "Lanyard is busy at the moment. Quizzler tries again later."
        case .unreachable:
            "Lanyard could not be reached. Quizzler tries again later."
        case .other:
            "The roster could not be read. Quizzler tries again later; the details are in its log."
        }
    }
}

extension Connection {
    var disconnectedNotice: String {
        "\(organizationName.isolated) has disconnected. "
            + "Everything Quizzler had stored about its people and classes is deleted."
    }
}
