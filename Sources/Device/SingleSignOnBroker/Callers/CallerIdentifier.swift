import CLinux
import Ground
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Finds out which app a process is. docs/specifications/extensible-single-sign-on.md, 12.
///
/// Outside of a sandbox the answer is advice, because a process can imitate another one of the same user. So it must
/// protect no secret that the user may not have.
struct CallerIdentifier: Sendable {
    /// Apps that the organization has put on the device.
    var managedApps: Set<String> = []
    /// Paths of Lanyard's own bridge to browsers. It asks on behalf of the browser that has started it.
    var bridges: Set<String> = []
    /// Paths of further programs that may draw forms in their own terminal. A program that draws a form can read what
    /// the person types, so this is not open to all.
    var terminalPrograms: Set<String> = []
    var applications = DesktopApplications()
    var packages = InstalledPackages()

    /// A caller, and whether it is Lanyard's own bridge, which may draw what an extension presents and speak for a
    /// page.
    struct Identified {
        var caller: Caller
        /// Whether only root can have chosen ``Caller/displayName``. The name of an interpreter does not count, because
        /// it runs any script that it is given.
        var isNameKnown: Bool
        var isBridge: Bool
        var mayDrawInTerminal: Bool
    }

    /// - Parameters:
    ///   - peer: the process that asks.
    ///   - descriptor: a descriptor of the same process.
    ///   - speaksForBrowser: whether the bridge asks for the browser that has started it, and not for itself.
    /// - Returns: nil if the process has ended, or if it sees other files than the broker and its sandbox is not known.
    func identify(_ peer: Peer, _ descriptor: ProcessDescriptor, speaksForBrowser: Bool) -> Identified? {
        guard var process = ProcessFacts(peer.processIdentifier, descriptor) else { return nil }
        // A known sandbox gives the process its name. Any other process that sees other files than the broker could put
        // itself at the path of any program.
        guard process.sandbox != nil || process.isDeleted || process.isAtItsPlace else { return nil }
        let isBridge = process.isAtItsPlace && bridges.contains(process.executable)
        let mayDrawInTerminal = isBridge || process.isAtItsPlace && terminalPrograms.contains(process.executable)
        if isBridge, speaksForBrowser, let parent = process.parentFacts { process = parent }
        let identifier = bundleIdentifier(of: process)
        // A program that the user can replace must not show an app's name to the person.
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
        // Only programs of root get an app's identifier: a person reads the name beside a password field.
        guard process.isRoots else {
            return "exe:\(process.executable)" + (process.isDeleted ? " (deleted)" : "")
        }
        return process.desktopScope.flatMap { isOfPackage($0, process.executable) ? $0 : nil }
            ?? applications.identifier(ofExecutable: process.executable) ?? "exe:\(process.executable)"
    }

    /// Whether a program belongs to an app of the desktop because one package installs both. The scope alone proves
    /// nothing: any program of the user can have the session manager make a scope of any name.
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
    /// Whether the broker sees the same file at the path. In another mount namespace the path may lead to another file.
    let isAtItsPlace: Bool
    /// Whether only root can have put the program at its path in the file system that everyone sees.
    ///
    /// It is not enough that root owns the file: in a mount namespace of its own, any program can put an interpreter
    /// that root owns at the path of an app, or run it beside a file that says that it belongs to a Flatpak.
    let isRoots: Bool
    /// The id of the Flatpak that the process runs in.
    let flatpak: String?
    /// The name of the snap that the process runs in, with `snap:` before it.
    let snap: String?
    /// The name that the sandbox gives the process; nil outside of one.
    var sandbox: String? { flatpak ?? snap }
    /// The id of the app, from the name of the systemd unit that the session manager made for it.
    let desktopScope: String?

    static var current: Int32 { getpid() }

    var name: String { String(executable.split(separator: "/").last ?? "") }

    /// - Returns: nil if there is no such process, or it ended while its facts were read.
    init?(_ identifier: Int32) {
        guard let descriptor = ProcessDescriptor(identifier) else { return nil }
        self.init(identifier, descriptor)
    }

    /// - Parameter descriptor: a descriptor of the process with this number.
    /// - Returns: nil if the process has ended, because its number may be another process's by then.
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
                // A deleted file cannot be compared, but it was at this path if both are in one mount namespace.
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
        // While the process lives its number is its own, so everything above was read about this process.
        guard descriptor.isAlive else { return nil }
    }

    /// Nil if the parent has ended.
    var parentFacts: ProcessFacts? {
        // Compared after the descriptor is open: only now can the number not pass to another process any more.
        guard let descriptor = ProcessDescriptor(parent), Self.parent(of: identifier) == parent else { return nil }
        return ProcessFacts(parent, descriptor)
    }

    private static func isSameFile(_ path: String, _ other: String) -> Bool {
        var one = stat()
        var two = stat()
        return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// Whether root owns a file and only root can change it.
    private static func belongsToRoot(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == 0 && status.st_mode & 0o022 == 0 && !isOfFuse(path)
    }

    /// Whether a file is in a file system that a program provides (FUSE), or that cannot be told. Any user can mount
    /// one over a folder of theirs, and it can claim that root owns its files.
    static func isOfFuse(_ path: String) -> Bool {
        var system = statfs()
        return statfs(path, &system) != 0 || system.f_type == Int(FUSE_SUPER_MAGIC)
    }

    /// - Returns: nil if there is no such process.
    static func parent(of identifier: Int32) -> Int32? {
        // The program's name stands in brackets and may itself contain brackets, so fields count from the last one.
        guard
            let fields = ProcessFile.read("/proc/\(identifier)/stat")?.split(separator: ")").last?.split(
                separator: " "),
            fields.count > 1
        else { return nil }
        return Int32(fields[1])
    }

    /// The path outside of the sandbox of a program in a Flatpak that root has installed.
    /// - Parameter executable: the path inside the sandbox. The app's own files are in `/app`, the runtime's elsewhere.
    /// - Returns: nil if the program belongs to the runtime, or is an interpreter, which runs any script that it is
    ///   given.
    static func place(of executable: String, inFlatpak identifier: String) -> String? {
        guard executable.hasPrefix("/app/"), !DesktopApplications.isLauncher(executable) else { return nil }
        return "/var/lib/flatpak/app/\(identifier)/current/active/files/\(executable.dropFirst(5))"
    }

    /// Whether a program belongs to the snap and is not an interpreter.
    /// - Parameter name: the snap's name with `snap:` before it.
    static func isOwn(_ executable: String, ofSnap name: String) -> Bool {
        executable.hasPrefix("/snap/\(name.dropFirst(5))/") && !DesktopApplications.isLauncher(executable)
    }

    /// Reads the id from the file `.flatpak-info`: the key `name` of the section `Application`.
    /// - Returns: nil if Flatpak does not allow such an id. So it cannot look like another kind of identifier, such
    ///   as `exe:` and a path.
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

    /// Reads the snap's name from an AppArmor label such as `snap.firefox.firefox (enforce)`.
    static func snap(_ label: String) -> String? {
        let parts = label.split(separator: ".")
        return parts.count >= 3 && parts[0] == "snap" ? "snap:\(parts[1])" : nil
    }

    /// Reads the app's id from `/proc/…/cgroup`: the path ends with `app-LAUNCHER-ID-RANDOM.scope` or
    /// `app-ID@RANDOM.service`, and a `-` in the id is written as `\x2d`.
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
        // A unit with GLib's own name names no app. Programs in it are identified by their path.
        return identifier.isEmpty || identifier.hasPrefix("glib") ? nil : identifier
    }
}
