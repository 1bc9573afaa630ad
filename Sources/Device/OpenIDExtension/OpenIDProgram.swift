import CLinux
import SingleSignOnExtension
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// `lanyard-openid`: the extension if the broker starts it, and a small command if a person does.
package enum OpenIDProgram {
    package static func main() async {
        // Hide the memory, which has tokens and a key, from other programs. Not if the broker makes the extension wait
        // for a debugger, which could not attach.
        if getenv(ExtensionProtocol.debugVariable) == nil { lanyard_hide_memory() }
        guard DeviceCommand.isWanted else { return await OpenIDExtension.main() }
        exit(await DeviceCommand.run())
    }
}
