import CKerberos
import ExtensionVault
import Ground
import KerberosProfile
import SingleSignOnExtension
import SingleSignOnWire
import Synchronization

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

    /// What `KRB5_CONFIG` was in the person's session; nil for nothing. Their other programs go on with that.
    static let named = Mutex<String?>(nil)

    private var realms: ExtensionFolder { ExtensionFolder(path: "\(folder.path)/krb5.conf.d") }
    private var own: String { "\(folder.path)/krb5.conf" }

    /// Points the library to the files. Called once, before there are threads, because it sets a variable.
    func use() {
        // The session's programs may have been pointed to the file for them, which has a module that asks this very extension.
        let named = getenv("KRB5_CONFIG").map { String(cString: $0) } ?? ""
        Self.named.withLock { $0 = named.isEmpty ? nil : named }
        let others = named.split(separator: ":").filter { !$0.hasPrefix("\(folder.path)/") }
        let other = others.isEmpty ? "/etc/krb5.conf" : others.joined(separator: ":")
        setenv("KRB5_CONFIG", other, 1)
        do {
            try FileManager.default.createDirectory(
                atPath: realms.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try folder.write(Data(common(keeper: Self.keeper).utf8), to: "krb5.conf")
            setenv("KRB5_CONFIG", "\(own):\(other)", 1)
        } catch {
            writeToLog("only the machine's configuration of Kerberos is used: \(error)")
        }
    }

    /// Looked for once, before the library reads the extension's own files, in which it stands then.
    private static let keeper = KeeperSocket.path(.standard)

    /// What the files for the extension and for programs have.
    /// - Parameter keeper: where SSSD keeps tickets, if not where MIT Kerberos looks.
    private func common(keeper: String?) -> String {
        "includedir \(realms.path)\n" + (keeper.map { "\n[libdefaults]\n    kcm_socket = \($0)\n" } ?? "")
    }

    /// The file for the person's programs, which `KRB5_CONFIG` of their session names:
    /// docs/decisions/0066-tickets-for-other-programs.md. It has the same realms, and says where tickets are.
    static let forPrograms = ExtensionProtocol.kerberosProgramsFile

    /// Writes that file, unless it is the same already.
    /// - Parameters:
    ///   - cache: the name of a cache that the programs may find; nil if there is none.
    ///   - module: the path of the module that asks for tickets; nil if it is not installed.
    ///   - isMain: whether the cache is the default realm's.
    func writeForPrograms(cache: String?, module: String?, keeper: String? = Self.keeper, isMain: Bool = false) {
        // Two realms may get tickets at once, and one of the lines is read before it is written.
        Self.writing.withLock { _ in
            writeForPrograms(alone: cache, module: module, keeper: keeper, isMain: isMain)
        }
    }

    private static let writing = Mutex(())

    private func writeForPrograms(alone cache: String?, module: String?, keeper: String?, isMain: Bool) {
        // A realm whose tickets are for nobody else takes nothing away from another one.
        guard cache != nil || folder.read(Self.forPrograms) == nil else { return }
        var text = "# Lanyard writes this anew: changes are lost.\n" + common(keeper: keeper)
        // The library replaces what stands behind a percent sign.
        if let collection = cache.flatMap(TicketCaches.collection), KeeperSocket.isPlain(collection) {
            text += "\n[libdefaults]\n    default_ccache_name = \(collection)\n"
            // The library of Samba's programs has a name of its own for this. It takes no cache of a collection by itself.
            let single = isMain || !hasDefaultRealm ? cache : writtenSingleCache ?? cache
            if let single, KeeperSocket.isPlain(single) {
                text += "    \(Self.singleCache) = \(single)\n"
            }
        }
        if let module, KeeperSocket.isPlain(module) {
            text += "\n[plugins]\n    ccselect = {\n        module = lanyard:\(module)\n    }\n"
        }
        guard folder.read(Self.forPrograms) != Data(text.utf8) else { return }
        do {
            try folder.write(Data(text.utf8), to: Self.forPrograms)
        } catch {
            writeToLog("the person's programs are not told where tickets are: \(error)")
        }
    }

    private static let singleCache = "default_cc_name"

    /// What the file says of a single cache.
    private var writtenSingleCache: String? {
        guard let file = folder.read(Self.forPrograms) else { return nil }
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.contains("\(Self.singleCache) = ") }
        return line?.split(separator: " ").last.map(String.init)
    }

    /// Whether one of the realms is the default one.
    private var hasDefaultRealm: Bool {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: realms.path)) ?? []
        return files.contains { file in
            realms.read(file).map { String(decoding: $0, as: UTF8.self).contains("default_realm = ") } ?? false
        }
    }

    /// The module, if it is installed.
    static let module = InstalledFile.path("lanyard-tickets.so", R_OK)

    /// Writes a realm's file, unless it is the same already.
    func write(_ realm: KerberosConfiguration.Realm) {
        let (text, findings) = KerberosConfiguration([realm]).text()
        for finding in findings { writeToLog("\(finding.key) \(finding.problem)") }
        let name = "\(realm.settings.realm).conf"
        guard realms.read(name) != Data(text.utf8) else { return }
        do {
            try realms.write(Data(text.utf8), to: name)
            noteChange()
        } catch {
            writeToLog("the settings for \(realm.settings.realm) are not used: \(error)")
        }
    }

    /// Writes the files anew that include those of the realms. Once a second the library looks whether they have changed; what they
    /// include it does not look at, as long as anything in the process has read it before.
    private func noteChange() {
        for name in ["krb5.conf", Self.forPrograms] {
            if let text = folder.read(name) { try? folder.write(text, to: name) }
        }
    }

    /// Removes what was written for a realm. With the last one goes the file for programs: its module would ask for tickets that
    /// no profile gives any more.
    func remove(_ realm: String) {
        realms.remove("\(realm).conf")
        noteChange()
        let left = (try? FileManager.default.contentsOfDirectory(atPath: realms.path)) ?? []
        if !left.contains(where: { $0.hasSuffix(".conf") }) { folder.remove(Self.forPrograms) }
    }

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
