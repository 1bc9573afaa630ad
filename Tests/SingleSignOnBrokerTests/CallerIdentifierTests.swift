import Foundation
import Ground
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
        // Any program can have such a file. So its name must not look like an identifier of another kind.
        for name in [
            "exe:/usr/bin/curl", "firefox-esr", "snap:firefox", "org..evil.x", "org.evil.\u{1B}[2J", "a.b.c ", "",
        ] {
            #expect(ProcessFacts.flatpak("[Application]\nname=\(name)\n") == nil, "\(name)")
        }
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

    /// A folder with files `*.desktop`, and the programs that they name.
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
    func `an app's name is from entries and for programs that only their owner can have written`()
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

    @Test func `the user's own entries give nobody a name`() throws {
        let desktop = try Desktop()
        try desktop.add("org.mozilla.firefox", program: "evil")
        // In the user's own folder, and not in one of the system's.
        let applications = DesktopApplications(
            environment: ["XDG_DATA_DIRS": "/nowhere", "XDG_DATA_HOME": desktop.root, "HOME": desktop.root],
            owner: .thisUser)
        #expect(applications.identifier(ofExecutable: desktop.place("evil")) == nil)
        #expect(applications.name(of: "org.mozilla.firefox") == nil)
    }

    @Test func `a scope names an app only if one package brings its entry and the program`() throws {
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
        // No package has installed the entry.
        #expect(!callers.isOfPackage("org.good", "/usr/bin/good"))
        #expect(callers.packages.owner(of: "/usr/share/applications/org.good.desktop") == "good")
        #expect(callers.packages.owner(of: "/usr/lib/good/helper") == "good")
        #expect(callers.packages.owner(of: "/home/mika/good") == nil)
        #expect(!callers.isOfPackage("org.unknown", "/usr/bin/good"))
    }

    /// XDG_DATA_DIRS names Flatpak's `~/.local/share/flatpak/exports/share` besides the folders of the system.
    @Test func `a link that others can have made gives nobody a name`() throws {
        let desktop = try Desktop()
        try desktop.add("org.good", program: "good")
        let open = try Desktop()
        try open.add("org.own", program: "own")
        let entries = "\(open.root)/applications"
        let good = "\(desktop.root)/applications/org.good.desktop"
        #expect(symlink(good, "\(entries)/org.mozilla.firefox.desktop") == 0)
        let applications = DesktopApplications(
            environment: ["XDG_DATA_DIRS": "\(open.root):\(desktop.root)"], owner: .thisUser)
        #expect(applications.file(of: "org.mozilla.firefox") != nil, "its maker is trusted")
        #expect(applications.identifier(ofExecutable: desktop.place("good")) == "org.mozilla.firefox")
        // This object has read the folder before, so it must notice that the mode has changed.
        chmod(entries, 0o777)
        #expect(applications.file(of: "org.mozilla.firefox") == nil && applications.file(of: "org.own") == nil)
        #expect(applications.identifier(ofExecutable: desktop.place("good")) == "org.good")
    }

    @Test func `a link that leads to what runs others is no app's program`() throws {
        let desktop = try Desktop()
        try desktop.add("org.good", program: "good")
        try desktop.add("org.python", program: "python3.11")
        try FileManager.default.removeItem(atPath: "\(desktop.root)/bin/good")
        #expect(symlink("\(desktop.root)/bin/python3.11", "\(desktop.root)/bin/good") == 0)
        #expect(desktop.applications().identifier(ofExecutable: desktop.place("python3.11")) == nil)
    }

    @Test(arguments: [
        ("/app/bin/firefox", "/var/lib/flatpak/app/org.mozilla.firefox/current/active/files/bin/firefox"),
        ("/usr/bin/python3.11", nil), ("/home/mika/evil", nil), ("/application", nil),
        // Any program can start an interpreter of an app's with `flatpak run --command=`.
        ("/app/bin/python3.11", nil), ("/app/lib/runtime/bin/bash", nil),
    ])
    func `of a Flatpak's programs its own are looked for where root has installed it`(
        executable: String, place: String?
    ) {
        #expect(ProcessFacts.place(of: executable, inFlatpak: "org.mozilla.firefox") == place)
    }

    @Test(arguments: [
        ("/snap/firefox/4173/usr/lib/firefox/firefox", true), ("/snap/firefox/4173/usr/bin/python3.10", false),
        ("/snap/core22/1033/usr/bin/curl", false), ("/snap/firefox-evil/1/firefox", false),
        ("/home/mika/firefox", false),
    ])
    func `of a snap's programs its own have its name, but no interpreter`(executable: String, isOwn: Bool) {
        #expect(ProcessFacts.isOwn(executable, ofSnap: "snap:firefox") == isOwn)
    }

    @Test func `a program is root's that root has put where it is`() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)").path
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        let copy = "\(folder)/sleep"
        try files.copyItem(atPath: URL(fileURLWithPath: "/bin/sleep").resolvingSymlinksInPath().path, toPath: copy)
        chmod(copy, 0o775)
        for (program, isRoots) in [("/bin/sleep", true), (copy, false)] {
            let number = try ChildProgram.spawn(program, ["60"])
            defer { kill(number, SIGKILL) }
            ChildProgram.reap(number)
            let facts = try #require(ProcessFacts(number))
            #expect(facts.isRoots == isRoots && facts.isAtItsPlace && !facts.isDeleted, "\(program)")
        }
        // The program was deleted, as by an update. This process is in the same mount namespace.
        chmod(copy, 0o755)
        let number = try ChildProgram.spawn(copy, ["60"])
        defer { kill(number, SIGKILL) }
        ChildProgram.reap(number)
        try files.removeItem(atPath: copy)
        let facts = try #require(ProcessFacts(number))
        #expect(facts.isDeleted && !facts.isAtItsPlace && facts.isRoots == (geteuid() == 0))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files to others"))
    func `a program of root's in a folder where others can put another is not root's`() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)").path
        defer { try? files.removeItem(atPath: folder) }
        let sleep = URL(fileURLWithPath: "/bin/sleep").resolvingSymlinksInPath().path
        for (name, owner, mode, isRoots) in [
            ("roots", 0, 0o755, true), ("theirs", 65_534, 0o755, false), ("open", 0, 0o777, false),
        ] {
            // The folder itself, and a folder of root's below it.
            let place = "\(folder)/\(name)"
            let below = "\(place)/bin"
            try files.createDirectory(
                atPath: below, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            for copy in ["\(place)/sleep", "\(below)/sleep"] {
                try files.copyItem(atPath: sleep, toPath: copy)
                chmod(copy, 0o755)
            }
            #expect(chmod(place, mode_t(mode)) == 0 && chown(place, uid_t(owner), 0) == 0)
            for copy in ["\(place)/sleep", "\(below)/sleep"] {
                let number = try ChildProgram.spawn(copy, ["60"])
                defer { kill(number, SIGKILL) }
                ChildProgram.reap(number)
                let facts = try #require(ProcessFacts(number))
                #expect(facts.isRoots == isRoots && facts.isAtItsPlace, "\(copy)")
                try files.removeItem(atPath: copy)
                let deleted = try #require(ProcessFacts(number))
                #expect(deleted.isRoots == isRoots && deleted.isDeleted, "\(copy)")
            }
            // The owner of a deleted folder is not known any more.
            let copy = "\(below)/sleep"
            try files.copyItem(atPath: sleep, toPath: copy)
            chmod(copy, 0o755)
            let number = try ChildProgram.spawn(copy, ["60"])
            defer { kill(number, SIGKILL) }
            ChildProgram.reap(number)
            try files.removeItem(atPath: below)
            let facts = try #require(ProcessFacts(number))
            #expect(facts.isDeleted && !facts.isRoots, "\(copy)")
        }
        #expect(FileOwner.root.problem(above: "\(folder)/nowhere/sleep") != nil)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount for another user"))
    func `a file system that a user's program makes says nothing of root`() throws {
        #expect(!ProcessFacts.isOfFuse("/proc/self/exe"))
        #expect(ProcessFacts.isOfFuse("/nowhere"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "mount-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { rmdir(folder) }
        let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        // A container may have no such device, or may not be allowed to mount.
        guard device >= 0 else { return }
        defer { close(device) }
        // The kernel itself answers to other users than the one who has mounted it, so this does not wait for a
        // program.
        let options = "fd=\(device),rootmode=40000,user_id=65534,group_id=65534"
        let isMounted = options.withCString { mount("test", folder, "fuse", 6, $0) == 0 }
        guard isMounted else { return }
        let isOfFuse = ProcessFacts.isOfFuse(folder)
        #expect(umount2(folder, 2) == 0)
        #expect(isOfFuse)
    }

    @Test(arguments: [
        ("python3.11", true), ("/usr/bin/bash", true), ("ld-linux-x86-64.so.2", true), ("node", true),
        ("electron25", true), ("curl", false), ("firefox-esr", false), ("", false),
    ])
    func `an interpreter's name says nothing of what it runs (single-sign-on 6)`(name: String, isLauncher: Bool) {
        #expect(DesktopApplications.isLauncher(name) == isLauncher)
    }

    @Test func `a process of an interpreter or of the user's own program has no known name (single-sign-on 6)`() throws
    {
        // The shell waits for the other program.
        let shell = try ChildProgram.spawn("/bin/sh", ["-c", "sleep 60; true"])
        defer { kill(-shell, SIGKILL) }
        let peer = Peer(processIdentifier: shell, user: geteuid())
        let descriptor = try #require(ProcessDescriptor(shell))
        ChildProgram.reap(shell)
        let identified = try #require(CallerIdentifier().identify(peer, descriptor, speaksForBrowser: false))
        #expect(!identified.isNameKnown && !identified.caller.isManaged)
        #expect(identified.caller.bundleIdentifier.hasPrefix("exe:/"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `nobody waits at a pipe that a process has in place of a file about it`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "info-\(UUID().uuidString)").path
        defer { unlink(path) }
        #expect(mkfifo(path, 0o600) == 0)
        #expect(ProcessFile.read(path) == nil)
        #expect(ProcessFile.read("/proc/self") == nil)
        #expect(ProcessFile.read("/proc/self/stat")?.hasPrefix("\(getpid()) ") == true)
    }

    @Test func `entries of the desktop are read from their own section`() {
        let entry = DesktopApplications.entry(
            "[Desktop Entry]\nName=Files\nExec=/usr/bin/nautilus %U\n[Desktop Action new]\nExec=/usr/bin/other\n")
        #expect(entry["Name"] == "Files")
        #expect(entry["Exec"] == "/usr/bin/nautilus %U")
    }
}
