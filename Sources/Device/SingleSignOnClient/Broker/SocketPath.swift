import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Where the broker listens.
public enum BrokerSocket {
    /// The variable `LANYARD_SSO_SOCKET`, or `lanyard/sso.sock` in the user's runtime directory.
    public static func path(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        if let path = environment[BrokerProtocol.socketVariable], !path.isEmpty { return path }
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/run/user/\(getuid())"
        return "\(runtime)/\(BrokerProtocol.socketPath)"
    }
}
