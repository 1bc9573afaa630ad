/// Why there is no association file.
public enum AssociationFileFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The domain has answered, and the answer is no agreement.
    case denied(String)
    /// The domain could not be asked, or did not prove that the answer is its own.
    case unreachable(String)

    public var description: String {
        switch self {
        case .denied(let reason), .unreachable(let reason): reason
        }
    }
}

/// What the process that fetches an association file writes to its standard output, as JSON.
package enum AssociationAnswer: Codable {
    case apps(Set<String>)
    case denied(String)
    case unreachable(String)

    package init(_ result: Result<AssociationFile, AssociationFileFailure>) {
        self =
            switch result {
            case .success(let file): .apps(file.apps)
            case .failure(.denied(let reason)): .denied(reason)
            case .failure(.unreachable(let reason)): .unreachable(reason)
            }
    }

    package var result: Result<AssociationFile, AssociationFileFailure> {
        switch self {
        case .apps(let apps): .success(AssociationFile(apps: apps))
        case .denied(let reason): .failure(.denied(reason))
        case .unreachable(let reason): .failure(.unreachable(reason))
        }
    }
}
