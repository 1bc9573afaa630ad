import Directory
import Foundation
import Ground
import Storage

/// Begins the sign-in of a device without a browser, and finds it by the code that a person types. RFC 8628.
package struct DeviceAuthorizationService: Sendable {
    private let database: any Database
    private let authenticator: ClientAuthenticator
    private let surroundings: Surroundings

    package init(database: any Database, authenticator: ClientAuthenticator, surroundings: Surroundings) {
        self.database = database
        self.authenticator = authenticator
        self.surroundings = surroundings
    }

    /// - Parameter address: the network address of the device.
    /// - Throws: ``OAuthError`` `invalid_client`, `invalid_scope` or `invalid_request`
    package func begin(
        for credentials: ClientAuthenticator.Credentials, scope: String?, nonce: String?, address: AddressBlock?
    ) async throws -> DeviceAuthorization.Codes {
        let (authenticator, surroundings, now) = (authenticator, surroundings, surroundings.now())
        return try await database.write { transaction in
            let client = try authenticator.authenticate(credentials, in: transaction)
            return try DeviceAuthorization.insert(
                for: client, scope: scope, nonce: nonce, address: address, at: now, from: surroundings, in: transaction)
        }
    }

    /// - Parameter userCode: as typed; case, spaces and hyphens are ignored.
    /// - Returns: the request of the device that waits with this code; nil if there is none.
    package func request(userCode: String) async throws -> AuthorizationRequest? {
        let now = surroundings.now()
        return try await database.read { try DeviceAuthorization.find(userCode: userCode, at: now, in: $0) }?.request
    }
}
