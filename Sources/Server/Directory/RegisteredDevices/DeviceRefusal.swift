/// Why a device is not registered, or cannot sign its person in.
package enum DeviceRefusal: Error, Equatable {
    /// `reason` completes "The request cannot be read: …".
    case invalidRequest(String)
    case invalidKey(String)
    case invalidCertificateRequest(String)
    /// The code is unknown, used or expired; the device is not told which.
    case invalidCode
    case tooManyDevices
    /// Any defect of the assertion. The device is told only that it is wrong; the log says which check failed.
    case invalidAssertion(String)
    /// These are told only to a device that has proved its identity.
    case accountLocked, accountDeactivated, passwordChangeRequired
    case tooManyAttempts(seconds: Int)
    /// The request comes from a page in a browser, and pages must not use this endpoint.
    case fromBrowser
    case tooLarge(bytesMax: Int)
    case unsupportedType(expected: String)
    /// The account is personal: only its owner can sign in to it, with a password.
    case notManaged
    /// The account belongs to the test school.
    case synthetic

    /// The value of `error` on the wire.
    package var code: String {
        switch self {
        case .invalidRequest, .tooLarge, .unsupportedType: "invalid_request"
        case .invalidKey: "invalid_key"
        case .invalidCertificateRequest: "invalid_csr"
        case .invalidCode: "invalid_code"
        case .tooManyDevices: "too_many_devices"
        case .invalidAssertion: "invalid_assertion"
        case .accountLocked: "account_locked"
        case .accountDeactivated: "account_deactivated"
        case .passwordChangeRequired: "password_change_required"
        case .tooManyAttempts: "too_many_attempts"
        case .fromBrowser: "not_for_browsers"
        case .notManaged, .synthetic: "not_managed"
        }
    }

    /// The message for the device: what happened, and what to do.
    package var publicDescription: String {
        switch self {
        case .invalidRequest(let reason): "The request cannot be read: \(reason)."
        case .invalidKey(let reason): "publicKey is no public P-256 key in JWK form: \(reason)."
        case .invalidCertificateRequest(let reason): "csr proves nothing: \(reason)."
        case .invalidCode: "The code is unknown, used or expired. Get a new one at the account page."
        case .tooManyDevices:
            "The account has \(RegisteredDevice.perPersonMax) devices already. Remove one at the account page first."
        case .invalidAssertion:
            "The assertion is not accepted. If it was right, the device has been removed: register it again."
        case .accountLocked: "The account is locked after too many wrong passwords. Wait, or sign in with the password."
        case .accountDeactivated: "The account is deactivated. Ask an administrator of the organization."
        case .passwordChangeRequired: "The account has a temporary password. Sign in with it and choose another first."
        case .tooManyAttempts(let seconds): "There were too many attempts. Wait \(seconds) seconds."
        case .fromBrowser: "This address is for devices, and not for pages in a browser."
        case .tooLarge(let bytesMax): "The body is longer than \(bytesMax) bytes."
        case .unsupportedType(let expected): "The content type is not \(expected)."
        case .notManaged: "Devices sign in to managed accounts only, and this one is personal."
        case .synthetic: "The test school has no devices."
        }
    }
}

extension DeviceRefusal: CustomStringConvertible {
    /// The message for the log and the command line.
    package var description: String {
        switch self {
        case .invalidAssertion(let reason): "the assertion is not accepted: \(reason)"
        default: publicDescription
        }
    }
}
