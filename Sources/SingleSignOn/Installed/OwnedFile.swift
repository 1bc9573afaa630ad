import Foundation

/// Why a file or a folder is not used: sentences with what to do.
package struct FileProblem: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Who must have written a file for it to count.
package enum FileOwner: Sendable {
    /// Root, who owns every folder above it too.
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

    /// - Returns: nil if only the owner can have written it.
    func problem(_ status: stat, at path: String) -> String? {
        if status.st_uid != identifier {
            return "\(path) belongs to user \(status.st_uid), not to \(name): give it to its owner with chown."
        }
        if status.st_mode & 0o022 != 0 {
            return "Others than its owner can write to \(path): take that from them with chmod go-w."
        }
        return nil
    }

    /// Whoever can write to a folder can put another in place of what it holds. Up to the root of the file system, links
    /// resolved.
    func problem(above path: String) -> String? {
        guard self == .root else { return nil }
        guard var folder = path.parentFolder.flatMap(Self.resolved) else { return nil }
        while true {
            var status = stat()
            guard lstat(folder, &status) == 0 else { return "\(folder) cannot be looked at." }
            // In a folder with the sticky bit, such as /tmp, everyone has what is his own, and no more.
            if status.st_mode & S_ISVTX == 0 || status.st_uid != identifier, let problem = problem(status, at: folder) {
                return problem
            }
            guard let next = folder.parentFolder else { return nil }
            folder = next
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// Reads files that only their owner can have written; links, devices and pipes are none.
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

    /// - Parameters:
    ///   - name: below `folder`, an open one.
    ///   - path: for messages.
    static func read(
        _ name: String, in folder: Int32, at path: String, by owner: FileOwner, bytesMax: Int
    ) throws(FileProblem) -> (data: Data, changedAt: Date) {
        // Looked at before it is opened: to open a device can do something.
        try check(name, in: folder, at: path, by: owner, bytesMax: bytesMax)
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw FileProblem("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        let status = try check("", in: descriptor, at: path, by: owner, bytesMax: bytesMax)
        var data = Data(count: Int(status.st_size))
        let count = data.withUnsafeMutableBytes { bytes in
            var filled = 0
            while filled < bytes.count {
                let count = Foundation.read(descriptor, bytes.baseAddress! + filled, bytes.count - filled)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? nil : filled }
                filled += count
            }
            return filled as Int?
        }
        guard let count else { throw FileProblem("\(path) cannot be read: \(String(cString: strerror(errno))).") }
        return (data.prefix(count), status.changedAt)
    }

    /// Writes the whole file or nothing, and returns when it is on the disk.
    /// - Parameter folderMode: of folders that are missing and made.
    package static func write(
        _ data: Data, to path: String, mode: mode_t, folderMode: mode_t
    ) throws(FileProblem) {
        let folder = path.parentFolder ?? "."
        try makeFolders(folder, mode: folderMode)
        let draft = "\(folder)/.draft-\(getpid())-\(UInt64.random(in: .min ... .max))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw cannotWrite(path, errno) }
        // The mode whatever the mask for new files is.
        var isWritten = fchmod(descriptor, mode) == 0
        data.withUnsafeBytes { bytes in
            var sent = 0
            while isWritten, sent < bytes.count {
                let count = Foundation.write(descriptor, bytes.baseAddress! + sent, bytes.count - sent)
                if count < 0, errno == EINTR { continue }
                isWritten = count > 0
                sent += max(0, count)
            }
        }
        isWritten = isWritten && fsync(descriptor) == 0 && rename(draft, path) == 0
        let code = errno
        close(descriptor)
        guard isWritten else {
            unlink(draft)
            throw cannotWrite(path, code)
        }
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if opened >= 0 {
            fsync(opened)
            close(opened)
        }
    }

    static func makeFolders(_ path: String, mode: mode_t) throws(FileProblem) {
        if mkdir(path, mode) == 0 || errno == EEXIST { return }
        if errno == ENOENT, let parent = path.parentFolder {
            try makeFolders(parent, mode: mode)
            if mkdir(path, mode) == 0 || errno == EEXIST { return }
        }
        throw FileProblem("\(path) cannot be made: \(String(cString: strerror(errno))).")
    }

    private static func cannotWrite(_ path: String, _ code: Int32) -> FileProblem {
        FileProblem("\(path) cannot be written: \(String(cString: strerror(code))).")
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
    fileprivate var changedAt: Date {
        Date(timeIntervalSince1970: Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9)
    }
}

extension String {
    /// Nil for the root itself.
    var parentFolder: String? {
        var path = self[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard path != "/" else { return nil }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
