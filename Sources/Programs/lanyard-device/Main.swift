import BrokerCommands
import DeviceCommands
import Dispatch
import KerberosExtension
import OpenIDExtension

#if canImport(Glibc)
    import Glibc
#endif

/// All programs of a device in one file, which is installed under each of their names and is the one by which it is called.
/// They have most of their code in common. docs/decisions/0077-one-file-for-the-programs-of-a-device.md.
@main
struct Main {
    static func main() {
        let name = CommandLine.arguments.first?.split(separator: "/").last
        // The broker takes signals on the main thread, before there are others.
        if name == "lanyard-broker" { return LanyardBroker.main() }
        Task {
            switch name {
            case "lanyard-openid": await OpenIDProgram.main()
            case "lanyard-kerberos": await KerberosProgram.main()
            default: await LanyardSSO.main()
            }
            exit(0)
        }
        dispatchMain()
    }
}
