import SingleSignOnExtension
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

extension Vault {
    /// Where the broker of this user keeps what belongs to this extension.
    static var ofUser: Vault {
        func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        if let named = environment(ExtensionProtocol.dataVariable) { return Vault(ExtensionFolder(path: named)) }
        let home = environment("HOME") ?? "."
        let state = environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/state"
        return Vault(
            ExtensionFolder(path: "\(state)/lanyard/sso/extensions/\(OpenIDExtension.identifier)"))
    }
}
