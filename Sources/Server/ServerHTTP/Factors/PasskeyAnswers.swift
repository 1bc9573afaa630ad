import Authorization
import Directory
import Foundation
import Ground

/// What the script of a page writes into the form of a passkey, in base64url.
extension PasskeyAssertion {
    /// - Returns: nil if the form has none, or it is no base64url.
    init?(_ form: RequestParameters) throws {
        guard let credentialID = try form.bytes("credential_id"), !credentialID.isEmpty,
            let clientData = try form.bytes("client_data"),
            let authenticatorData = try form.bytes("authenticator_data"), let signature = try form.bytes("signature"),
            let userHandle = try form.bytes("user_handle")
        else { return nil }
        self.init(
            credentialID: credentialID, clientData: clientData, authenticatorData: authenticatorData,
            signature: signature, userHandle: userHandle.isEmpty ? nil : userHandle)
    }
}

extension PasskeyRegistration {
    /// - Returns: nil if the form has none, or it is no base64url.
    init?(_ form: RequestParameters) throws {
        guard let clientData = try form.bytes("client_data"), !clientData.isEmpty,
            let attestation = try form.bytes("attestation")
        else { return nil }
        self.init(clientData: clientData, attestation: attestation)
    }
}

extension RequestParameters {
    /// Bytes in base64url; none for an empty or missing field, nil for anything else.
    fileprivate func bytes(_ name: String) throws -> [UInt8]? {
        guard let text = try self[name] else { return [] }
        return Data(base64URLEncoded: text).map { Array($0) }
    }
}
