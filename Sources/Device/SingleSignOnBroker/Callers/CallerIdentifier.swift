import CLinux
import Foundation
import SingleSignOn
import SingleSignOnWire

#if canImport(Glibc)
    import Glibc
#endif

/// Finds out which app a process is. docs/specifications/extensible-single-sign-on.md, 12.
///
/// Outside of a sandbox this is advice: a process of a user can imitate another of the same user. No secret rests on it
/// that the user may not have.
struct CallerIdentifier: Sendable {
    /// Apps that the organization has put on the device.
    var managedApps: Set<String> = []
    /// Programs that speak for a browser, and are known by their parent: Lanyard's own bridge.
    var bridges: Set<String> = []
    /// Further programs that may draw forms in their own terminal. Whoever draws a form reads what is typed.
    var terminalPrograms: Set<String> = []
    var applications = DesktopApplications()
    var packages = InstalledPackages()

    /// A caller, and whether it is Lanyard's own bridge, which may draw what an extension presents and speak for a page.
    struct Identified {
        var caller: Caller
        /// Whether ``Caller/displayName`` is of root's making. An interpreter's is not: it runs what anybody gives it.
        var isNameKnown: Bool
        var isBridge: Bool
        var mayDrawInTerminal: Bool
    }

    /// - Parameters:
    ///   - peer: who asks.
    ///   - descriptor: of the same process.
    ///   - speaksForBrowser: whether the bridge asks for the browser that has started it, and not for itself.
    /// - Returns: nil if the process is gone, or is none that this user may know of.
    func identify(_ peer: Peer, _ descriptor: ProcessDescriptor, speaksForBrowser: Bool) -> Identified? {
        guard var process = ProcessFacts(peer.processIdentifier, descriptor) else { return nil }
        // In a sandbox that is known the names are the sandbox's; anybody else who sees other files could take any name.
        guard process.sandbox != nil || process.isDeleted || process.isAtItsPlace else { return nil }
        let isBridge = process.isAtItsPlace && bridges.contains(process.executable)
        let mayDrawInTerminal = isBridge || process.isAtItsPlace && terminalPrograms.contains(process.executable)
        if isBridge, speaksForBrowser, let parent = process.parentFacts { process = parent }
        let identifier = bundleIdentifier(of: process)
        // Who may call itself anything has the name of no app, whatever its identifier.
        let name = process.isRoots ? applications.name(of: identifier) : nil
        let caller = Caller(
            bundleIdentifier: identifier,
            teamIdentifier: process.sandbox == nil && process.isRoots
                ? packages.owner(of: process.executable).map { "deb:\($0)" } ?? "" : "",
            displayName: name ?? process.sandbox ?? process.name,
            isManaged: process.isRoots && managedApps.contains(identifier),
            processIdentifier: process.identifier)
        return Identified(
            caller: caller,
            isNameKnown: process.isRoots && (name != nil || !DesktopApplications.isLauncher(process.name)),
            isBridge: isBridge, mayDrawInTerminal: mayDrawInTerminal)
    }

    private func bundleIdentifier(of process: ProcessFacts) -> String {
        if let sandbox = process.sandbox { return sandbox }
        // Only root's programs have an app's name: a person reads it beside a field for a password.
        guard process.isRoots else {
            return "exe:\(process.executable)" + (process.isDeleted ? " (deleted)" : "")
        }
        return process.desktopScope.flatMap { isOfPackage($0, process.executable) ? $0 : nil }
            ?? applications.identifier(ofExecutable: process.executable) ?? "exe:\(process.executable)"
    }

    /// Whether a program belongs to an app of the desktop because one package brings both. Any program of the user can have
    /// the session's manager make a scope of any name.
    func isOfPackage(_ identifier: String, _ executable: String) -> Bool {
        guard let file = applications.file(of: identifier), let owner = packages.owner(of: file) else { return false }
        return packages.owner(of: executable) == owner
    }
}

/// What `/proc` says about a process.
struct ProcessFacts {
    let identifier: Int32
    let parent: Int32
    let executable: String
    /// Whether the program's file is gone, as after an update.
    let isDeleted: Bool
    /// Whether the program is the file that the broker sees at its path: others may see other files there.
    let isAtItsPlace: Bool
    /// Whether root alone can have put the program where the process has it from, for everybody.
    ///
    /// It is not enough that the file is root's: in a mount namespace of its own, any program can put an interpreter of
    /// root's at the path of an app, or run it where a file says that it is a Flatpak's.
    let isRoots: Bool
    /// The application's id, if a Flatpak runs it.
    let flatpak: String?
    /// The snap's name.
    let snap: String?
    /// What its sandbox calls it.
    var sandbox: String? { flatpak ?? snap }
    /// The id of the desktop's app, by the scope that the session manager made for it.
    let desktopScope: String?

    static var current: Int32 { getpid() }

    var name: String { String(executable.split(separator: "/").last ?? "") }

    /// - Returns: nil if there is no such process, or it went away while it was looked at.
    init?(_ identifier: Int32) {
        guard let descriptor = ProcessDescriptor(identifier) else { return nil }
        self.init(identifier, descriptor)
    }

    /// - Parameter descriptor: of the process with this number.
    /// - Returns: nil if it has ended, and the number may be another's.
    init?(_ identifier: Int32, _ descriptor: ProcessDescriptor) {
        let folder = "/proc/\(identifier)"
        guard let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/exe") else {
            return nil
        }
        self.identifier = identifier
        isDeleted = executable.hasSuffix(" (deleted)")
        self.executable = isDeleted ? String(executable.dropLast(10)) : executable
        isAtItsPlace = Self.isSameFile("\(folder)/exe", self.executable)
        parent = Self.parent(of: identifier) ?? 0
        flatpak = ProcessFile.read("\(folder)/root/.flatpak-info").flatMap(Self.flatpak)
        snap = ProcessFile.read("\(folder)/attr/current").flatMap(Self.snap)
        let isFromItsPlace =
            if let flatpak {
                Self.place(of: self.executable, inFlatpak: flatpak).map { Self.isSameFile("\(folder)/exe", $0) }
                    ?? false
            } else if let snap {
                isAtItsPlace && Self.isOwn(self.executable, ofSnap: snap)
            } else {
                // A file that is gone was at this path for the broker too, if they see the same files.
                isAtItsPlace || isDeleted && Self.isSameFile("\(folder)/ns/mnt", "/proc/self/ns/mnt")
            }
        let place =
            if let flatpak { Self.place(of: self.executable, inFlatpak: flatpak) } else { self.executable as String? }
        isRoots =
            if let place, isFromItsPlace {
                Self.belongsToRoot("\(folder)/exe") && FileOwner.root.problem(above: place) == nil
            } else {
                false
            }
        desktopScope = ProcessFile.read("\(folder)/cgroup").flatMap(Self.desktopScope)
        // All of this was about the one process.
        guard descriptor.isAlive else { return nil }
    }

    /// Nil if it has ended.
    var parentFacts: ProcessFacts? {
        // Whoever has its number is still its parent once it is held.
        guard let descriptor = ProcessDescriptor(parent), Self.parent(of: identifier) == parent else { return nil }
        return ProcessFacts(parent, descriptor)
    }

    private static func isSameFile(_ path: String, _ other: String) -> Bool {
        var one = stat()
        var two = stat()
        return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// - Returns: whether nobody else can change it, too.
    private static func belongsToRoot(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == 0 && status.st_mode & 0o022 == 0 && !isOfFuse(path)
    }

    /// Whether a file is in a file system that a program makes (FUSE). Any user can have one in place of a folder of its
    /// own, and it says of its files and folders that they are root's.
    static func isOfFuse(_ path: String) -> Bool {
        var system = statfs()
        return statfs(path, &system) != 0 || system.f_type == Int(FUSE_SUPER_MAGIC)
    }

    /// - Returns: nil if there is no such process.
    static func parent(of identifier: Int32) -> Int32? {
        // The name in brackets may hold anything; what follows its last bracket does not.
        guard
            let fields = ProcessFile.read("/proc/\(identifier)/stat")?.split(separator: ")").last?.split(
                separator: " "),
            fields.count > 1
        else { return nil }
        return Int32(fields[1])
    }

    /// Where a program of a Flatpak's is outside of its sandbox, if root has installed it.
    /// - Parameter executable: in the sandbox, where the app's own files are at `/app`; all else is its runtime's.
    /// - Returns: nil if it is none of the app's own, or an interpreter, which runs what anybody gives it.
    static func place(of executable: String, inFlatpak identifier: String) -> String? {
        guard executable.hasPrefix("/app/"), !DesktopApplications.isLauncher(executable) else { return nil }
        return "/var/lib/flatpak/app/\(identifier)/current/active/files/\(executable.dropFirst(5))"
    }

    /// Whether a program is one of the snap's own, and no interpreter.
    /// - Parameter name: with `snap:` before it.
    static func isOwn(_ executable: String, ofSnap name: String) -> Bool {
        executable.hasPrefix("/snap/\(name.dropFirst(5))/") && !DesktopApplications.isLauncher(executable)
    }

    /// The entry `name` of the section `Application`; nil if Flatpak does not allow such a name. A name that it allows is
    /// never taken for another kind of program, such as `exe:` and a path.
    static func flatpak(_ info: String) -> String? {
        var section = ""
        for line in info.split(separator: "\n") {
            if line.hasPrefix("[") { section = String(line) }
            if section == "[Application]", line.hasPrefix("name=") {
                let name = line.dropFirst(5)
                return name.wholeMatch(of: /[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2,}/).map { String($0.output.0) }
            }
        }
        return nil
    }

    /// A security label such as `snap.firefox.firefox (enforce)`.
    static func snap(_ label: String) -> String? {
        let parts = label.split(separator: ".")
        return parts.count >= 3 && parts[0] == "snap" ? "snap:\(parts[1])" : nil
    }

    /// A path that ends with `app-LAUNCHER-ID-RANDOM.scope` or `app-ID@RANDOM.service`, with `-` in the id written as
    /// `\x2d`.
    static func desktopScope(_ cgroups: String) -> String? {
        guard let path = cgroups.split(separator: "\n").last(where: { $0.hasPrefix("0::") }),
            let unit = path.split(separator: "/").last(where: { $0.hasPrefix("app-") })
        else { return nil }
        var name: Substring
        if unit.hasSuffix(".scope") {
            let parts = unit.dropFirst(4).dropLast(6).split(separator: "-")
            guard parts.count >= 2 else { return nil }
            name = parts[parts.count - 2]
        } else if unit.hasSuffix(".service") {
            name = unit.dropFirst(4).dropLast(8).split(separator: "@").first ?? ""
            name = name.split(separator: "-").last ?? ""
        } else {
            return nil
        }
        let identifier = String(name).replacing("\\x2d", with: "-").replacing("\\x5f", with: "_")
        // Terminals and shells are no apps of their own: what runs in them is known by its program.
        return identifier.isEmpty || identifier.hasPrefix("glib") ? nil : identifier
    }
}
