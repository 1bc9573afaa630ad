import CLinux
import SingleSignOnExtension
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// `lanyard-kerberos`: the extension for Kerberos. The broker starts it.
package enum KerberosProgram {
    package static func main() async {
        // Hide the memory, which has passwords and tickets, from other programs. Not if the broker makes the extension
        // wait for a debugger, which could not attach.
        if getenv(ExtensionProtocol.debugVariable) == nil { lanyard_hide_memory() }
        // With the configuration of the extension that has started it.
        if KerberosExtension.hasAnsweredForCard() { return }
        KerberosExtension.useOwnConfiguration()
        await KerberosExtension.main()
    }
}
