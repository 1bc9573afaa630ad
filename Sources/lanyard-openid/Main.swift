import OpenIDExtension
import SingleSignOnExtension

#if canImport(Glibc)
    import Glibc
#endif

/// The extension when the broker starts it, and a small command for people when they do.
@main
struct Main {
    static func main() async {
        guard DeviceCommand.isWanted else { return await OpenIDExtension.main() }
        exit(await DeviceCommand.run())
    }
}
