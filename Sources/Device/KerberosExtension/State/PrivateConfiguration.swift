import CKerberos
import ExtensionVault
import Ground
import KerberosProfile
import SingleSignOnExtension

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// The configuration of MIT Kerberos for the realms of payloads, in the extension's own folder, before the machine's own.
/// docs/specifications/extensible-single-sign-on.md, 23.
///
/// Each realm has a file below `krb5.conf.d`, because the payloads of two realms come with two requests.
struct PrivateConfiguration: Sendable {
    let folder: ExtensionFolder

    private var realms: ExtensionFolder { ExtensionFolder(path: "\(folder.path)/krb5.conf.d") }
    private var own: String { "\(folder.path)/krb5.conf" }

    /// Points the library to the files. Called once, before there are threads, because it sets a variable.
    func use(_ files: DeviceFiles = .standard) {
        let other = getenv("KRB5_CONFIG").map { String(cString: $0) } ?? "/etc/krb5.conf"
        let keeper = KeeperSocket.path(files)
        do {
            try FileManager.default.createDirectory(
                atPath: realms.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try folder.write(Data(text(keeper: keeper).utf8), to: "krb5.conf")
            setenv("KRB5_CONFIG", "\(own):\(other)", 1)
        } catch {
            writeToLog("only the machine's configuration of Kerberos is used: \(error)")
        }
    }

    /// - Parameter keeper: where SSSD keeps tickets, if not where MIT Kerberos looks.
    private func text(keeper: String?) -> String {
        "includedir \(realms.path)\n" + (keeper.map { "\n[libdefaults]\n    kcm_socket = \($0)\n" } ?? "")
    }

    /// Writes a realm's file, unless it is the same already.
    func write(_ realm: KerberosConfiguration.Realm) {
        let (text, findings) = KerberosConfiguration([realm]).text()
        for finding in findings { writeToLog("\(finding.key) \(finding.problem)") }
        let name = "\(realm.settings.realm).conf"
        guard realms.read(name) != Data(text.utf8) else { return }
        do {
            try realms.write(Data(text.utf8), to: name)
        } catch {
            writeToLog("the settings for \(realm.settings.realm) are not used: \(error)")
        }
    }

    func remove(_ realm: String) { realms.remove("\(realm).conf") }

    /// Whether the machine's own configuration names servers of a realm. An administrator has chosen them then.
    func machineNamesServers(of realm: String) -> Bool {
        let files = (getenv("KRB5_CONFIG").map { String(cString: $0) } ?? "").split(separator: ":").filter { $0 != own }
        var profile: profile_t?
        guard profile_init_path(files.joined(separator: ":"), &profile) == 0, let profile else { return false }
        defer { profile_release(profile) }
        return ["realms", realm, "kdc"].withCStrings { names in
            var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
            guard profile_get_values(profile, names, &values) == 0 else { return false }
            defer { profile_free_list(values) }
            return values?.pointee != nil
        }
    }
}

extension [String] {
    /// The texts as C has them, with nil at the end, as long as `body` runs.
    fileprivate func withCStrings<Value>(_ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Value) -> Value {
        let texts = map { strdup($0) }
        defer { for text in texts { free(text) } }
        var pointers = texts.map { UnsafePointer<CChar>($0) } + [nil]
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
    }
}
