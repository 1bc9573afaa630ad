import Authorization
import Testing

/// The code with which `body` was refused, nil if it was not. Any other error is an issue and counts as `server_error`.
func refusal(_ body: () async throws -> Void) async -> OAuthError.Code? {
    do {
        try await body()
        return nil
    } catch let error as OAuthError {
        return error.code
    } catch {
        Issue.record(error)
        return .serverError
    }
}

/// Why a bearer token was refused, nil if it was not.
func rosterRefusal(_ body: () async throws -> RosterAccess) async -> RosterRefusal? {
    do {
        _ = try await body()
        return nil
    } catch let refusal as RosterRefusal {
        return refusal
    } catch {
        Issue.record(error)
        return nil
    }
}
