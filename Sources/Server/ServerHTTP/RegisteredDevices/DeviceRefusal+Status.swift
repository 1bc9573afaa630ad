import Directory
import HTTPTypes

extension DeviceRefusal {
    var status: HTTPResponse.Status {
        switch self {  // no default: a new refusal has to choose its status here
        case .invalidRequest, .invalidKey, .invalidCertificateRequest: .badRequest
        case .invalidAssertion: .unauthorized
        case .invalidCode, .accountLocked, .accountDeactivated, .passwordChangeRequired, .fromBrowser, .notManaged,
            .synthetic:
            .forbidden
        case .tooManyDevices: .conflict
        case .tooLarge: .contentTooLarge
        case .unsupportedType: .unsupportedMediaType
        case .tooManyAttempts: .tooManyRequests
        }
    }
}
