import CommandOutput
import Directory
import Foundation
import Ground
import NIOCore
import NIOPosix
import Storage

/// A domain with Kerberos for the demo's second scene, in a folder and on loopback: a realm of MIT Kerberos, an intranet with
/// a page and a repository, and a computer to sign in to. Nothing of it needs root.
struct DemoDomain: Sendable {
    static let realm = "MAPLE.LOCALHOST"
    static let intranet = "intranet.maple.localhost"
    static let shell = "shell.maple.localhost"

    let folder: String
    /// The person's name in the realm, without the realm.
    let userName: String
    let intranetPort = LoopbackPort.free(preferring: 8_444)
    let shellPort = LoopbackPort.free(preferring: 8_022)
    private let centerPort = LoopbackPort.free(preferring: 0)
    private let administrationPort = LoopbackPort.free(preferring: 0)
    private let passwordPort = LoopbackPort.free(preferring: 0)

    /// Keys of the demo's Lanyard server.
    static func serverKeytab(in folder: String) -> String { "\(folder)/lanyard.keytab" }

    init(in folder: String, userName: String) {
        self.folder = folder
        self.userName = userName
    }

    /// The configuration of MIT Kerberos for the demo's programs.
    var settings: String { "\(folder)/krb5.conf" }
    /// The place of the person's tickets.
    var tickets: String { "DIR:\(folder)/tickets" }
    var page: String { "https://\(Self.intranet):\(intranetPort)/" }
    var repository: String { "\(page)git/work.git" }
    var shellSettings: String { "\(folder)/ssh_config" }
    private var site: String { "\(folder)/intranet" }
    /// Where the web server finds its site. If root starts it, it gives root up, and could not enter the demo's folder.
    private var siteInside: String { Self.isRoot ? "/run/intranet" : site }
    private static let isRoot = geteuid() == 0

    // MARK: What it takes

    private static let programs = [
        ("/usr/sbin/krb5kdc", "krb5-kdc"), ("/usr/sbin/kadmind", "krb5-admin-server"), ("/usr/sbin/apache2", "apache2"),
        ("/usr/lib/apache2/modules/mod_auth_gssapi.so", "libapache2-mod-auth-gssapi"),
        ("/usr/lib/git-core/git-http-backend", "git"), ("/usr/sbin/sshd", "openssh-server"),
        ("/usr/bin/ssh", "openssh-client"),
    ]

    /// - Returns: why the scene cannot be played, and what to do; nil if it can.
    static func whyNot() -> String? {
        let missing = programs.filter { !FileManager.default.fileExists(atPath: $0.0) }.map(\.1)
        guard missing.isEmpty else {
            return "It needs packages that are missing: apt-get install \(missing.joined(separator: " "))"
        }
        guard isRoot, (try? InstalledProgram.run("/usr/bin/unshare", ["--mount", "true"])) == nil else { return nil }
        return "Some of its servers do not run as root, and this container does not let root prepare a place for them."
            + " Run the demo as yourself."
    }

    // MARK: Setting it up

    /// - Parameter password: the person's in the realm, from each start on.
    func setUp(password: String, authority: DemoAuthority) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o711])
        try files.createDirectory(
            atPath: "\(folder)/realm", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try files.createDirectory(
            atPath: "\(folder)/tickets", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try writeRealm()
        if !files.fileExists(atPath: wholeRealm) { try createRealm() }
        _ = try? administer("addprinc -randkey \(userName)")
        // A second start finds another one if it was changed.
        try administer("cpw -pw \"\(password)\" \(userName)")
        try administer("modprinc -needchange \(userName)")
        try writeIntranet(authority)
        try writeShell()
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func writeRealm() throws {
        func clients(_ mapping: String) -> String {
            """
            [libdefaults]
                default_realm = \(Self.realm)
                dns_lookup_kdc = false
                dns_lookup_realm = false
                dns_canonicalize_hostname = false
                rdns = false
                qualify_shortname = ""
            [realms]
                \(Self.realm) = {
                    kdc = 127.0.0.1:\(centerPort)
                    admin_server = 127.0.0.1:\(administrationPort)
                    kpasswd_server = 127.0.0.1:\(passwordPort)
            \(mapping)
                }
            [domain_realm]
                .maple.localhost = \(Self.realm)

            """
        }
        try write(clients(""), to: settings)
        // No account has to be made on this computer: with the person's ticket ssh signs in to the account that runs the demo.
        try write(
            clients("        auth_to_local_names = {\n            \(userName) = \(NSUserName())\n        }"),
            to: "\(folder)/sshd-krb5.conf")
        let realm = "\(folder)/realm"
        try write(
            """
            [kdcdefaults]
                kdc_listen = 127.0.0.1:\(centerPort)
                kdc_tcp_listen = 127.0.0.1:\(centerPort)
            [realms]
                \(Self.realm) = {
                    database_name = \(realm)/principal
                    acl_file = \(realm)/acl
                    key_stash_file = \(realm)/stash
                    kadmind_listen = 127.0.0.1:\(administrationPort)
                    kpasswd_listen = 127.0.0.1:\(passwordPort)
                    max_life = 10h
                    max_renewable_life = 7d
                    default_principal_flags = +preauth
                }
            [logging]
                kdc = FILE:\(realm)/kdc.log
                admin_server = FILE:\(realm)/kadmin.log

            """, to: "\(realm)/kdc.conf")
        try write("", to: "\(realm)/acl")
    }

    /// It is there when the realm is whole. A start that was ended meanwhile leaves a realm without some of its keys, which nobody
    /// could add without knowing which.
    private var wholeRealm: String { "\(folder)/realm/whole" }

    private func createRealm() throws {
        let files = FileManager.default
        let realm = "\(folder)/realm"
        for name in try files.contentsOfDirectory(atPath: realm) where name.hasPrefix("principal") || name == "stash" {
            try files.removeItem(atPath: "\(realm)/\(name)")
        }
        for name in try files.contentsOfDirectory(atPath: folder) where name.hasSuffix(".keytab") {
            try files.removeItem(atPath: "\(folder)/\(name)")
        }
        try administration("kdb5_util", "create", "-s", "-r", Self.realm, "-P", UUID().uuidString)
        for (service, file) in [
            ("HTTP/\(Self.intranet)", "intranet.keytab"), ("host/\(Self.shell)", "shell.keytab"),
            ("HTTP/\(DemoAuthority.host)", "lanyard.keytab"),
        ] {
            try administer("addprinc -randkey \(service)")
            try administer("ktadd -k \(folder)/\(file) \(service)")
        }
        try write("", to: wholeRealm)
    }

    private var environment: [String: String] {
        ["KRB5_CONFIG": settings, "KRB5_KDC_PROFILE": "\(folder)/realm/kdc.conf"]
    }

    @discardableResult
    private func administration(_ words: String...) throws -> Data {
        try InstalledProgram.run("/usr/bin/env", [Self.path] + words, environment: environment)
    }

    private func administer(_ query: String) throws {
        try administration("kadmin.local", "-r", Self.realm, "-q", query)
    }

    /// The command that lets the person's password expire.
    var expiring: String {
        let variables = environment.map { "\($0.key)='\($0.value)'" }.sorted().joined(separator: " ")
        return "\(variables) \(Self.path) exec kadmin.local -r \(Self.realm) -q 'modprinc +needchange \(userName)'"
    }

    /// People other than root do not look for programs there.
    private static let path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"

    private func writeIntranet(_ authority: DemoAuthority) throws {
        let files = FileManager.default
        for place in ["pages", "replays"] {
            try files.createDirectory(atPath: "\(site)/\(place)", withIntermediateDirectories: true)
        }
        let hello = "<h1>Hello <!--#echo var=\"REMOTE_USER\" --></h1>"
        try write(
            "<!doctype html>\n<html lang=\"en\"><title>Intranet</title>\n\(hello)\n",
            to: "\(site)/pages/index.shtml")
        if !files.fileExists(atPath: "\(site)/repositories/work.git") {
            let draft = "\(site)/draft"
            try? files.removeItem(atPath: draft)
            let author = ["-c", "user.name=Maple", "-c", "user.email=intranet@maple.example"]
            for words in [
                ["init", "--quiet", "--initial-branch=main", draft],
                ["-C", draft] + author + ["commit", "--quiet", "--allow-empty", "--message=Begin"],
                ["clone", "--quiet", "--bare", draft, "\(site)/repositories/work.git"],
            ] { try InstalledProgram.run("/usr/bin/env", ["git"] + words) }
        }
        for name in ["intranet.keytab", "krb5.conf"] {
            try? files.removeItem(atPath: "\(site)/\(name)")
            try files.copyItem(atPath: "\(folder)/\(name)", toPath: "\(site)/\(name)")
        }
        let modules = [
            "mpm_event", "authn_core", "authz_core", "authz_user", "dir", "include", "mime", "alias", "cgid", "env",
            "ssl", "auth_gssapi",
        ].map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n")
        try write(
            """
            \(modules)
            ServerName \(Self.intranet)
            Listen 127.0.0.1:\(intranetPort)
            ServerRoot \(siteInside)
            DefaultRuntimeDir \(siteInside)
            PidFile \(siteInside)/pid
            ScriptSock \(siteInside)/cgi.sock
            ErrorLog /dev/stderr
            # Takes effect only if root starts it.
            User www-data
            Group www-data
            AddDefaultCharset utf-8
            # Tickets of people with many groups are long.
            LimitRequestFieldSize 98304
            SSLEngine on
            SSLCertificateFile \(authority.certificateFile)
            SSLCertificateKeyFile \(authority.keyFile)
            DocumentRoot \(siteInside)/pages
            DirectoryIndex index.shtml
            TypesConfig /dev/null
            AddType text/html .shtml
            AddOutputFilter INCLUDES .shtml
            <Directory \(siteInside)/pages>
                Options +Includes
            </Directory>
            PassEnv GIT_CONFIG_COUNT
            PassEnv GIT_CONFIG_KEY_0
            PassEnv GIT_CONFIG_VALUE_0
            SetEnv GIT_PROJECT_ROOT \(siteInside)/repositories
            SetEnv GIT_HTTP_EXPORT_ALL 1
            ScriptAlias /git/ /usr/lib/git-core/git-http-backend/
            <Location />
                AuthType GSSAPI
                AuthName "Intranet"
                GssapiCredStore keytab:\(siteInside)/intranet.keytab
                GssapiAllowedMech krb5
                Require valid-user
            </Location>

            """, to: "\(site)/apache.conf")
        if Self.isRoot {
            try InstalledProgram.run("/usr/bin/env", ["chown", "--recursive", "www-data:", site])
        }
    }

    private func writeShell() throws {
        let key = "\(folder)/host_key"
        if !FileManager.default.fileExists(atPath: key) {
            try InstalledProgram.run("/usr/bin/env", ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key])
        }
        try write(
            """
            Port \(shellPort)
            ListenAddress 127.0.0.1
            HostKey \(key)
            PidFile none
            UsePAM no
            PubkeyAuthentication no
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            GSSAPIAuthentication yes
            GSSAPIStrictAcceptorCheck no

            """, to: "\(folder)/sshd_config")
        let known = try String(contentsOfFile: "\(key).pub", encoding: .utf8)
        try write("\(Self.shell) \(known)", to: "\(folder)/known_hosts")
        try write(
            """
            Host \(Self.shell)
                HostName 127.0.0.1
                HostKeyAlias \(Self.shell)
                Port \(shellPort)
                UserKnownHostsFile "\(folder)/known_hosts"
                GSSAPIAuthentication yes
                # Debian's ssh would otherwise want a ticket for 127.0.0.1.
                GSSAPIServerIdentity \(Self.shell)
                PreferredAuthentications gssapi-with-mic

            """, to: shellSettings)
    }

    // MARK: Its programs

    /// What runs it, each with the port at which it answers.
    func processes() -> [(DemoProcess, port: Int)] {
        // It closes each open file that it does not know, among them one by which Foundation notices the end of a program. So it
        // has a parent that keeps it and passes signals on.
        let shell = [
            "timeout", "0", "env", "KRB5_CONFIG=\(folder)/sshd-krb5.conf", "KRB5_KTNAME=\(folder)/shell.keytab",
            "KRB5RCACHENAME=none:", "/usr/sbin/sshd", "-D", "-e", "-f", "\(folder)/sshd_config",
        ]
        let intranet = ["/usr/sbin/apache2", "-f", "\(siteInside)/apache.conf", "-D", "FOREGROUND"]
        return [
            (
                DemoProcess(
                    "The domain's KDC", program: "/usr/sbin/krb5kdc", arguments: ["-n"],
                    environment: environment, log: "\(folder)/realm/krb5kdc.out"), centerPort
            ),
            (
                DemoProcess(
                    "The domain's server for passwords", program: "/usr/sbin/kadmind", arguments: ["-nofork"],
                    environment: environment, log: "\(folder)/realm/kadmind.out"), passwordPort
            ),
            (
                DemoProcess(
                    "The intranet", program: "/usr/bin/env",
                    arguments: inPlace("mkdir /run/intranet; mount --bind '\(site)' /run/intranet", intranet),
                    environment: [
                        "KRB5_CONFIG": "\(siteInside)/krb5.conf", "KRB5RCACHENAME": "none:",
                        // As root it does not own the repository.
                        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
                    ], log: "\(folder)/intranet.log"), intranetPort
            ),
            (
                DemoProcess(
                    "The shell", program: "/usr/bin/env", arguments: inPlace("mkdir /run/sshd", shell),
                    log: "\(folder)/shell.log"), shellPort
            ),
        ]
    }

    /// The command for a server; as root with a `/run` of its own, in which it finds what it would not find elsewhere.
    /// - Parameter preparing: the commands that root prepares that place with.
    private func inPlace(_ preparing: String, _ command: [String]) -> [String] {
        guard Self.isRoot else { return command }
        let script = "mount -t tmpfs -o mode=755 none /run; \(preparing); exec \"$@\""
        return ["unshare", "--mount", "sh", "-ec", script, "sh"] + command
    }

    /// Whether something listens at the port.
    static func listens(_ port: Int) async -> Bool {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(1))
        guard let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get() else { return false }
        try? await channel.close()
        return true
    }

    // MARK: The realm at the demo's server

    /// Lets tickets of the realm sign people of the organization in.
    func trust(for organization: OrganizationID, domain: String, in deployment: Deployment) async throws {
        let realm = try KerberosRealm(name: Self.realm, matching: .userName, domain: domain, isGiven: true)
        let now = deployment.now
        try await deployment.database.write { transaction in
            guard try realm.put(for: organization, at: now, in: transaction) else {
                throw Failure("The demo's data are not whole. Delete its folder, and start again.")
            }
        }
    }
}
