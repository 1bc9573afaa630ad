import Foundation
import KerberosProfile
import SingleSignOnExtension
import SingleSignOnWire
import Testing

@testable import KerberosExtension

/// docs/specifications/extensible-single-sign-on.md, 23.10.
@Suite struct ProgramsConfigurationTests {
    private let folder = ExtensionFolder(
        path: FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)").path)

    private func lines() -> [String] {
        String(decoding: folder.read(PrivateConfiguration.forPrograms) ?? Data(), as: UTF8.self).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `programs are told where tickets are, and which module asks for them`() {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let configuration = PrivateConfiguration(folder: folder)
        configuration.writeForPrograms(
            cache: "KCM:1000:sso-A.TEST", module: "/usr/libexec/lanyard/lanyard-tickets.so", keeper: "/run/keeper")
        #expect(
            Array(lines().dropFirst()) == [
                "includedir \(folder.path)/krb5.conf.d", "[libdefaults]", "kcm_socket = /run/keeper", "[libdefaults]",
                "default_ccache_name = KCM:", "default_cc_name = KCM:1000:sso-A.TEST", "[plugins]", "ccselect = {",
                "module = lanyard:/usr/libexec/lanyard/lanyard-tickets.so", "}",
            ])
        // A realm with a cache of the extension's own leaves that as it is.
        configuration.writeForPrograms(cache: nil, module: nil, keeper: nil)
        #expect(lines().contains("default_ccache_name = KCM:"))
        configuration.writeForPrograms(cache: "FILE:/tmp/mine", module: nil, keeper: nil)
        #expect(
            Array(lines().dropFirst(2)) == [
                "[libdefaults]", "default_ccache_name = FILE:/tmp/mine", "default_cc_name = FILE:/tmp/mine",
            ])
    }

    @Test func `programs that know one cache alone are told the default realm's, or else the last one`() {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let configuration = PrivateConfiguration(folder: folder)
        func tell(_ realm: String, isMain: Bool = false) {
            configuration.writeForPrograms(
                cache: "DIR::/run/krb5cc/tktsso-\(realm)", module: nil, keeper: nil, isMain: isMain)
        }
        for realm in ["B.TEST", "A.TEST"] {
            tell(realm)
            #expect(lines().last == "default_cc_name = DIR::/run/krb5cc/tktsso-\(realm)")
        }
        let data: [String: PropertyListValue] = ["isDefaultRealm": .boolean(true)]
        configuration.write(.init(KerberosSettings(realm: "A.TEST", extensionData: [:])))
        configuration.write(.init(KerberosSettings(realm: "B.TEST", extensionData: data)))
        tell("B.TEST", isMain: true)
        tell("A.TEST")
        #expect(lines().last == "default_cc_name = DIR::/run/krb5cc/tktsso-B.TEST")
        #expect(lines().contains("default_ccache_name = DIR:/run/krb5cc"))
        configuration.remove("B.TEST")
        tell("A.TEST")
        #expect(lines().last == "default_cc_name = DIR::/run/krb5cc/tktsso-A.TEST")
    }

    @Test func `with the last realm the file is gone, and no sooner`() {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let configuration = PrivateConfiguration(folder: folder)
        let realms = ExtensionFolder(path: "\(folder.path)/krb5.conf.d")
        for realm in ["A.TEST", "B.TEST"] {
            configuration.write(.init(KerberosSettings(realm: realm, extensionData: [:])))
        }
        configuration.writeForPrograms(cache: "FILE:/tmp/mine", module: "/x/y.so", keeper: nil)
        configuration.remove("A.TEST")
        #expect(realms.read("A.TEST.conf") == nil && realms.read("B.TEST.conf") != nil)
        #expect(folder.read(PrivateConfiguration.forPrograms) != nil)
        configuration.remove("B.TEST")
        #expect(folder.read(PrivateConfiguration.forPrograms) == nil)
    }

    @Test func `what a configuration file would read otherwise is left out`() {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        PrivateConfiguration(folder: folder).writeForPrograms(
            cache: "FILE:/tmp/%{uid}", module: "/opt/a b/lanyard-tickets.so", keeper: nil)
        #expect(lines().count == 2)
    }

    @Test func `without a ticket that programs may find there is the module alone`() {
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        PrivateConfiguration(folder: folder).writeForPrograms(cache: nil, module: "/x/y.so", keeper: nil)
        #expect(Array(lines().dropFirst(2)) == ["[plugins]", "ccselect = {", "module = lanyard:/x/y.so", "}"])
    }
}
