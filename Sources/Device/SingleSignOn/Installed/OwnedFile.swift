import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Why a file or folder is not used, as sentences that say what to do.
package struct FileProblem: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Who must have written a file for it to count.
package enum FileOwner: Sendable {
    /// Root, who must also own every folder above it.
    case root
    /// The user that this program runs as.
    case thisUser

    var identifier: uid_t {
        switch self {
        case .root: 0
        case .thisUser: geteuid()
        }
    }

    private var name: String {
        switch self {
        case .root: "root"
        case .thisUser: "you (user \(identifier))"
        }
    }

    /// - Returns: nil if only the owner can have written it; otherwise what is wrong.
    package func problem(_ status: stat, at path: String) -> String? {
        if status.st_uid != identifier {
            return "\(path) belongs to user \(status.st_uid), not to \(name): give it to its owner with chown."
        }
        if status.st_mode & 0o022 != 0 {
            return "Others than its owner can write to \(path): take that from them with chmod go-w."
        }
        return nil
    }

    /// Checks the folders above a path, up to the root and with links resolved, because a person who can write to a
    /// folder can replace what is in it. A missing folder is a problem too: anybody may have owned it.
    package func problem(above path: String) -> String? {
        guard self == .root, let parent = path.parentFolder else { return nil }
        guard var folder = Self.resolved(parent) else { return "\(parent) cannot be looked at." }
        while true {
            var status = stat()
            guard lstat(folder, &status) == 0 else { return "\(folder) cannot be looked at." }
            // In a folder with the sticky bit, such as /tmp, users can replace only their own files.
            if status.st_mode & S_ISVTX == 0 || status.st_uid != identifier, let problem = problem(status, at: folder) {
                return problem
            }
            guard let next = folder.parentFolder else { return nil }
            folder = next
        }
    }

    fileprivate static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// Reads files that only their owner can have written. Links, devices and pipes are refused.
package enum OwnedFile {
    /// - Returns: nil if there is no such file.
    package static func read(
        _ path: String, by owner: FileOwner, bytesMax: Int
    ) throws(FileProblem) -> (data: Data, changedAt: Date)? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw FileProblem("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        if let problem = owner.problem(above: path) { throw FileProblem(problem) }
        return try read(path, in: AT_FDCWD, at: path, by: owner, bytesMax: bytesMax)
    }

    /// Whether all users can read a file, including the folders above it.
    static func isReadableByAll(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IROTH != 0 else { return false }
        var folder = path.parentFolder
        while let current = folder {
            guard stat(current, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
            folder = current.parentFolder
        }
        return true
    }

    /// Checks that only the owner can have installed the program and can change it. Links are allowed, since packages
    /// use them, and both the links and their targets are checked.
    package static func checkProgram(_ path: String, of owner: FileOwner) throws(FileProblem) {
        var status = stat()
        guard let file = FileOwner.resolved(path), stat(file, &status) == 0 else {
            throw FileProblem("\(path) cannot be started: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(file, X_OK) == 0 else {
            throw FileProblem("\(path) is no program. Name one, and make it one with chmod +x.")
        }
        if let problem = owner.problem(status, at: file) ?? owner.problem(above: path) ?? owner.problem(above: file) {
            throw FileProblem(problem)
        }
    }

    /// - Parameters:
    ///   - name: the file's name in `folder`, which is open.
    ///   - path: the path for messages.
    static func read(
        _ name: String, in folder: Int32, at path: String, by owner: FileOwner, bytesMax: Int
    ) throws(FileProblem) -> (data: Data, changedAt: Date) {
        // Check before opening it, because opening a device can have effects.
        try check(name, in: folder, at: path, by: owner, bytesMax: bytesMax)
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let remedy = errno == EACCES ? " Let everybody read it with chmod a+r." : ""
            throw FileProblem("\(path) cannot be read: \(String(cString: strerror(errno))).\(remedy)")
        }
        defer { close(descriptor) }
        let status = try check("", in: descriptor, at: path, by: owner, bytesMax: bytesMax)
        var data = Data(count: Int(status.st_size))
        let count = data.withUnsafeMutableBytes { bytes in
            var filled = 0
            while filled < bytes.count {
                let count = Glibc.read(descriptor, bytes.baseAddress! + filled, bytes.count - filled)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? nil : filled }
                filled += count
            }
            return filled as Int?
        }
        guard let count else { throw FileProblem("\(path) cannot be read: \(String(cString: strerror(errno))).") }
        return (data.prefix(count), status.changedAt)
    }

    @discardableResult
    private static func check(
        _ name: String, in folder: Int32, at path: String, by owner: FileOwner, bytesMax: Int
    ) throws(FileProblem) -> stat {
        var status = stat()
        let found =
            name.isEmpty ? fstat(folder, &status) : fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW)
        guard found == 0 else { throw FileProblem("\(path) cannot be read: \(String(cString: strerror(errno))).") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileProblem("\(path) is no plain file. Put a copy in its place: links are not followed.")
        }
        if let problem = owner.problem(status, at: path) { throw FileProblem(problem) }
        guard status.st_size <= bytesMax else {
            throw FileProblem("\(path) has \(status.st_size) bytes; at most \(bytesMax) are read.")
        }
        return status
    }
}

extension stat {
    var changedAt: Date {
        Date(timeIntervalSince1970: Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9)
    }
}
