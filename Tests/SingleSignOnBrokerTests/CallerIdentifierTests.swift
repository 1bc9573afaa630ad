import Testing

@testable import SingleSignOnBroker

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
        ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.gnome.Epiphany-4242.scope\n",
         "org.gnome.Epiphany"),
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

    @Test func `entries of the desktop are read from their own section`() {
        let entry = DesktopApplications.entry(
            "[Desktop Entry]\nName=Files\nExec=/usr/bin/nautilus %U\n[Desktop Action new]\nExec=/usr/bin/other\n")
        #expect(entry["Name"] == "Files")
        #expect(entry["Exec"] == "/usr/bin/nautilus %U")
    }
}
