import CLinux
import OpenIDExtension
import SingleSignOnExtension
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// The extension when the broker starts it, and a small command for people when they do.
@main
struct Main {
    static func main() async {
        // There are tokens and a key in its memory. A debugger could not attach: whom the broker has wait for one is open.
        if getenv(ExtensionProtocol.debugVariable) == nil { lanyard_hide_memory() }
        guard DeviceCommand.isWanted else { return await OpenIDExtension.main() }
        exit(await DeviceCommand.run())
    }
}
