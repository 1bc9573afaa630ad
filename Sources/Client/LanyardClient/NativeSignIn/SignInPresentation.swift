/// Shows a person where to sign in, for programs without windows of their own.
public protocol SignInPresentation: Sendable {
    /// Opens an address in a browser on this machine. The address is secret until it was used, so do not log it.
    /// - Returns: false if there is no browser; the person then signs in with another device.
    func open(_ url: String) async -> Bool

    /// Shows the address for another device, and the code to enter there.
    func show(_ device: DeviceAuthorization) async
}
