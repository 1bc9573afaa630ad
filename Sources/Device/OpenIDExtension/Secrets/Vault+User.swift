import ExtensionVault
import SingleSignOnExtension
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

extension Vault {
    static var ofUser: Vault { Vault(.ofUser) }

    convenience init(_ folder: ExtensionFolder) { self.init(folder, application: "org.lanyard.openid") }
}

extension ExtensionFolder {
    /// The folder in which this user's broker keeps this extension's data.
    static var ofUser: ExtensionFolder {
        func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        if let named = environment(ExtensionProtocol.dataVariable) { return ExtensionFolder(path: named) }
        let home = environment("HOME") ?? "."
        let state = environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/state"
        return ExtensionFolder(
            path: ExtensionProtocol.dataFolder(of: OpenIDExtension.identifier, in: "\(state)/lanyard/sso"))
    }
}
