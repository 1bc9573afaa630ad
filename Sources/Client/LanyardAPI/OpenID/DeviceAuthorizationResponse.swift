/// The answer to a device that asks for a sign-in. RFC 8628 section 3.2.
public struct DeviceAuthorizationResponse: Codable, Equatable, Sendable {
    /// The device's own secret, with which it asks for the tokens.
    public var deviceCode: String
    /// The code that the person enters at the address.
    public var userCode: String
    /// The address at which the person enters the code.
    public var verificationURI: String
    /// The same address with the code in it, for a link or a QR code.
    public var verificationURIComplete: String?
    /// The life of both codes in seconds.
    public var expiresIn: Int
    /// Seconds between two requests for the tokens; 5 if absent.
    public var interval: Int?

    public init(
        deviceCode: String,
        userCode: String,
        verificationURI: String,
        verificationURIComplete: String? = nil,
        expiresIn: Int,
        interval: Int? = nil
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresIn = expiresIn
        self.interval = interval
    }

    private enum CodingKeys: String, CodingKey {
        case deviceCode = "device_code"
        case userCode = "user_code"
        case verificationURI = "verification_uri"
        case verificationURIComplete = "verification_uri_complete"
        case expiresIn = "expires_in"
        case interval
    }
}
