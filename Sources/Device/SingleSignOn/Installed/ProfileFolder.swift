#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// One folder of profiles, read file by file.
struct ProfileFolder {
    let path: String
    let kind: ProfileStore.Kind

    var owner: FileOwner {
        switch kind {
        case .device: .root
        case .user: .thisUser
        }
    }

    /// Whether there is a file with a profile's name, trusted or not.
    var hasProfiles: Bool {
        guard let descriptor = try? open() else { return false }
        return Self.names(in: descriptor).contains { $0.hasSuffix(ProfileStore.fileExtension) }
    }

    /// Reads all files, in no particular order.
    func read(_ policy: ProfilePolicy) -> (entries: [InstalledProfiles.Entry], faulty: [InstalledProfiles.Faulty]) {
        var entries: [InstalledProfiles.Entry] = []
        var faulty: [InstalledProfiles.Faulty] = []
        func report(_ problem: String, at source: String, _ identifier: String? = nil) {
            faulty.append(.init(source: source, kind: kind, identifier: identifier, problem: problem))
        }
        do throws(FileProblem) {
            guard let folder = try openChecked() else { return ([], []) }
            let names = Self.names(in: folder).filter { $0.hasSuffix(ProfileStore.fileExtension) }.sorted()
            if names.count > ProfileStore.filesMax {
                report(
                    "There are \(names.count) profiles; only the first \(ProfileStore.filesMax) by name are read.",
                    at: path)
            }
            var bytesLeft = ProfileStore.bytesMax
            for name in names.prefix(ProfileStore.filesMax) {
                let source = "\(path)/\(name)"
                do throws(FileProblem) {
                    let file = try OwnedFile.read(
                        name, in: folder.number, at: source, by: owner, bytesMax: SignedProfile.bytesMax)
                    bytesLeft -= file.data.count
                    guard bytesLeft >= 0 else {
                        report(
                            "All profiles together have more than \(ProfileStore.bytesMax) bytes: neither this one "
                                + "nor those after it are read.", at: source)
                        break
                    }
                    let reading = ProfileReading(
                        file.data, signers: policy.signers, requiresSignature: policy.requiresSignature)
                    guard let profile = reading.profile else {
                        report(reading.errorSummary, at: source, reading.identifier)
                        continue
                    }
                    entries.append(
                        .init(
                            profile: profile, source: source, kind: kind, installedAt: file.changedAt,
                            signer: reading.signer))
                } catch {
                    report(error.description, at: source)
                }
            }
        } catch {
            report(error.description, at: path)
        }
        return (entries, faulty)
    }

    /// - Returns: nil if there is no such folder.
    /// - Throws: if users other than the owner can write to it.
    func openChecked() throws(FileProblem) -> Descriptor? {
        guard let folder = try open() else { return nil }
        var status = stat()
        guard fstat(folder.number, &status) == 0 else { throw FileProblem("\(path) cannot be looked at.") }
        if let problem = owner.problem(status, at: path) ?? owner.problem(above: path) { throw FileProblem(problem) }
        return folder
    }

    private func open() throws(FileProblem) -> Descriptor? {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number < 0 else { return Descriptor(number: number) }
        switch errno {
        case ENOENT: return nil
        case ENOTDIR, ELOOP: throw FileProblem("\(path) is no folder. Links are not followed.")
        case EACCES:
            throw FileProblem("\(path) cannot be read: \(String(cString: strerror(EACCES))). Open it with chmod a+rx.")
        default: throw FileProblem("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
    }

    private static func names(in folder: Descriptor) -> [String] {
        // The stream closes its descriptor, so it gets a copy.
        guard let stream = fdopendir(fcntl(folder.number, F_DUPFD_CLOEXEC, 0)) else { return [] }
        defer { closedir(stream) }
        rewinddir(stream)
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    /// An open file descriptor that is closed when the last reference goes.
    final class Descriptor {
        let number: Int32
        init(number: Int32) { self.number = number }
        deinit { close(number) }
    }
}
