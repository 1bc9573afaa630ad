/// How a program without windows of its own shows a person where to sign in.
public protocol SignInPresentation: Sendable {
    /// Opens an address in a browser on this machine. It is secret until it has been used: it goes into no log.
    /// - Returns: False if there is no browser; the person then signs in with another device.
    func open(_ url: String) async -> Bool

    /// Shows where to go with another device, and the code to type there.
    func show(_ device: DeviceAuthorization) async
}
