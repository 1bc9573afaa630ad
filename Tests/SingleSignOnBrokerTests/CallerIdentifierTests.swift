import Foundation
import SingleSignOn
import SingleSignOnWire
import Testing

@testable import SingleSignOnBroker

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct CallerIdentifierTests {
    @Test func `a sandboxed app has the id of its sandbox`() {
        #expect(
            ProcessFacts.flatpak("[Context]\nname=wrong\n[Application]\nname=org.mozilla.firefox\nruntime=x\n")
                == "org.mozilla.firefox")
        #expect(ProcessFacts.flatpak("[Instance]\nname=org.evil\n") == nil)
        #expect(ProcessFacts.snap("snap.firefox.firefox (enforce)\n") == "snap:firefox")
        #expect(ProcessFacts.snap("unconfined\n") == nil)
        #expect(ProcessFacts.snap("/usr/bin/snap.firefox.firefox") == nil)
    }

    @Test(arguments: [
        (
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.gnome.Epiphany-4242.scope\n",
            "org.gnome.Epiphany"
        ),
        ("0::/user.slice/app.slice/app-org.kde.konsole@a1b2.service\n", "org.kde.konsole"),
        ("0::/app.slice/app-gnome-my\\x2dapp-77.scope", "my-app"),
        ("0::/user.slice/user-1000.slice/session-2.scope", nil),
        ("0::/system.slice/cron.service", nil),
        ("1:name=systemd:/app-x-evil-1.scope\n0::/system.slice", nil),
        ("", nil),
    ])
    func `the session manager's scope names the app`(cgroups: String, identifier: String?) {
        #expect(ProcessFacts.desktopScope(cgroups) == identifier)
    }

    @Test func `a process is known by its program and its parent`() throws {
        let own = try #require(ProcessFacts(ProcessFacts.current))
        #expect(own.executable.hasPrefix("/"))
        #expect(own.parent > 0)
        #expect(ProcessFacts(Int32.max) == nil)
    }

    /// A folder of the desktop's entries, and programs that they name.
    private final class Desktop {
        let root = FileManager.default.temporaryDirectory.appending(path: "desktop-\(UUID().uuidString)").path

        init() throws {
            for folder in ["applications", "bin"] {
                try FileManager.default.createDirectory(
                    atPath: "\(root)/\(folder)", withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o755])
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: root) }

        func add(
            _ identifier: String, program: String, _ mode: Int = 0o644, programMode: Int = 0o755
        ) throws {
            let files = FileManager.default
            _ = files.createFile(
                atPath: "\(root)/bin/\(program)", contents: Data("#!/bin/sh".utf8))
            chmod("\(root)/bin/\(program)", mode_t(programMode))
            let entry = "[Desktop Entry]\nName=The \(program)\nExec=\(root)/bin/\(program) %U\n"
            _ = files.createFile(atPath: "\(root)/applications/\(identifier).desktop", contents: Data(entry.utf8))
            chmod("\(root)/applications/\(identifier).desktop", mode_t(mode))
        }

        func applications() -> DesktopApplications {
            DesktopApplications(
                environment: ["XDG_DATA_DIRS": root, "XDG_DATA_HOME": "/x", "HOME": root], owner: .thisUser)
        }

        func place(_ program: String) -> String {
            URL(fileURLWithPath: "\(root)/bin/\(program)").resolvingSymlinksInPath().path
        }
    }

    @Test
    func `an app's name is from entries and for programs that only their owner can have written (single-sign-on S3)`()
        throws
    {
        let desktop = try Desktop()
        try desktop.add("org.good", program: "good")
        try desktop.add("org.anybody", program: "open-entry", 0o666)
        try desktop.add("org.group", program: "group-entry", 0o664)
        try desktop.add("org.program", program: "open-program", programMode: 0o777)
        let applications = desktop.applications()
        #expect(applications.identifier(ofExecutable: desktop.place("good")) == "org.good")
        #expect(applications.name(of: "org.good") == "The good")
        for program in ["open-entry", "group-entry", "open-program"] {
            #expect(applications.identifier(ofExecutable: desktop.place(program)) == nil, "\(program)")
        }
        #expect(applications.name(of: "org.anybody") == nil && applications.name(of: "org.group") == nil)
    }

    @Test func `the user's own entries give nobody a name (single-sign-on S3)`() throws {
        let desktop = try Desktop()
        try desktop.add("org.mozilla.firefox", program: "evil")
        // In the folder for the user's own, not in one of the system's.
        let applications = DesktopApplications(
            environment: ["XDG_DATA_DIRS": "/nowhere", "XDG_DATA_HOME": desktop.root, "HOME": desktop.root],
            owner: .thisUser)
        #expect(applications.identifier(ofExecutable: desktop.place("evil")) == nil)
        #expect(applications.name(of: "org.mozilla.firefox") == nil)
    }

    @Test func `a scope names an app only if one package brings its entry and the program (single-sign-on S3)`() throws
    {
        let desktop = try Desktop()
        try desktop.add("org.good", program: "good")
        let packages = "\(desktop.root)/dpkg"
        try FileManager.default.createDirectory(atPath: packages, withIntermediateDirectories: true)
        let bins = "/usr/bin/good\n/usr/lib/good/helper\n"
        try Data("\(bins)/usr/share/applications/org.good.desktop\n".utf8).write(
            to: URL(fileURLWithPath: "\(packages)/good.list"))
        try Data("/usr/bin/curl\n".utf8).write(to: URL(fileURLWithPath: "\(packages)/curl.list"))
        var callers = CallerIdentifier()
        callers.packages = InstalledPackages(folder: packages)
        callers.applications = desktop.applications()
        // The entry is in no package's place here.
        #expect(!callers.isOfPackage("org.good", "/usr/bin/good"))
        #expect(callers.packages.owner(of: "/usr/share/applications/org.good.desktop") == "good")
        #expect(callers.packages.owner(of: "/usr/lib/good/helper") == "good")
        #expect(callers.packages.owner(of: "/home/mika/good") == nil)
        #expect(!callers.isOfPackage("org.unknown", "/usr/bin/good"))
    }

    @Test(arguments: [
        ("python3.11", true), ("/usr/bin/bash", true), ("ld-linux-x86-64.so.2", true), ("node", true), ("curl", false),
        ("firefox-esr", false), ("", false),
    ])
    func `an interpreter's name says nothing of what it runs (single-sign-on 6)`(name: String, isLauncher: Bool) {
        #expect(DesktopApplications.isLauncher(name) == isLauncher)
    }

    @Test func `a process of an interpreter or of the user's own program has no known name (single-sign-on 6)`() throws
    {
        // A shell that waits for another program.
        let shell = try ChildProgram.spawn("/bin/sh", ["-c", "sleep 60; true"])
        defer { kill(-shell, SIGKILL) }
        let peer = Peer(processIdentifier: shell, user: geteuid())
        let descriptor = try #require(ProcessDescriptor(shell))
        ChildProgram.reap(shell)
        let identified = try #require(CallerIdentifier().identify(peer, descriptor, speaksForBrowser: false))
        #expect(!identified.isNameKnown && !identified.caller.isManaged)
        #expect(identified.caller.bundleIdentifier.hasPrefix("exe:/"))
    }

    @Test func `entries of the desktop are read from their own section`() {
        let entry = DesktopApplications.entry(
            "[Desktop Entry]\nName=Files\nExec=/usr/bin/nautilus %U\n[Desktop Action new]\nExec=/usr/bin/other\n")
        #expect(entry["Name"] == "Files")
        #expect(entry["Exec"] == "/usr/bin/nautilus %U")
    }
}
