import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

/// Tells when something changes in folders, also in those that do not exist yet. Costs nothing while nothing does.
final class FolderWatcher: Sendable {
    /// A folder, and which of its files matter.
    struct Folder: Sendable {
        let path: String
        let concerns: @Sendable (String) -> Bool
    }

    struct CannotWatch: Error, CustomStringConvertible {
        let errno: Int32
        var description: String { "folders cannot be watched: \(String(cString: strerror(errno)))" }
    }

    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    deinit { channel.close(promise: nil) }

    /// - Parameter changed: called on the event loop, some milliseconds after the last of several changes.
    static func start(
        _ folders: [Folder], on loop: any EventLoop, changed: @escaping @Sendable () -> Void
    ) async throws -> FolderWatcher {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw CannotWatch(errno: errno) }
        let channel = try await NIOPipeBootstrap(group: loop)
            // An event with the longest name has to fit.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4_096))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        FolderEventHandler(WatchedFolders(folders, descriptor), changed))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor).get()
        return FolderWatcher(channel)
    }
}

/// What is watched, by the numbers that the kernel gives.
struct WatchedFolders {
    private let folders: [FolderWatcher.Folder]
    private let descriptor: Int32
    /// What matters in a folder, for each reason to watch it.
    private var concerns: [Int32: [@Sendable (String) -> Bool]] = [:]

    init(_ folders: [FolderWatcher.Folder], _ descriptor: Int32) {
        self.folders = folders
        self.descriptor = descriptor
    }

    /// To be called again whenever something has changed: a folder may be there now, or be another than before.
    mutating func watch() {
        let before = concerns.keys
        concerns = [:]
        for folder in folders { watch(folder) }
        for number in before where concerns[number] == nil { inotify_rm_watch(descriptor, number) }
    }

    /// For a folder that is missing, the nearest that is not, where nothing matters but the way to it.
    private mutating func watch(_ folder: FolderWatcher.Folder) {
        var path = folder.path
        // Of what lies between, the part that is nearest to the path.
        var below: [String] = []
        while true {
            let number = inotify_add_watch(descriptor, path, Self.mask)
            if number >= 0 {
                guard let next = below.last else {
                    concerns[number, default: []].append(folder.concerns)
                    return
                }
                concerns[number, default: []].append { $0 == next }
                // It may have been made since it was looked for; from now on that is told.
                let child = path == "/" ? "/\(next)" : "\(path)/\(next)"
                guard access(child, F_OK) == 0 else { return }
                path = child
                below.removeLast()
                // Something that is no folder is in the way.
                if inotify_add_watch(descriptor, path, Self.mask) < 0 { return }
            } else {
                guard errno == ENOENT || errno == ENOTDIR, let slash = path.lastIndex(of: "/"), path != "/" else {
                    return
                }
                below.append(String(path[path.index(after: slash)...]))
                path = slash == path.startIndex ? "/" : String(path[..<slash])
            }
        }
    }

    private static let mask = UInt32(
        IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR)

    /// - Parameter events: of inotify(7), each with the folder's number, what has happened, and the name of a file.
    func isConcerned(by events: inout ByteBuffer) -> Bool {
        var isConcerned = false
        while let (number, mask, _, length) = events.readMultipleIntegers(
            endianness: .host, as: (Int32, UInt32, UInt32, UInt32).self)
        {
            let name = events.readString(length: Int(length)) ?? ""
            // Some were lost, or it is about the folder itself; one that is watched no longer says so too.
            let isAboutAll = mask & UInt32(IN_Q_OVERFLOW) != 0
            guard isAboutAll || concerns[number] != nil else { continue }
            let file = String(name.prefix { $0 != "\0" })
            if isAboutAll || file.isEmpty || concerns[number, default: []].contains(where: { $0(file) }) {
                isConcerned = true
            }
        }
        return isConcerned
    }
}

private final class FolderEventHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// A file is written, renamed, its mode changed: that is one change, if it comes to an end.
    private static let quiet = TimeAmount.milliseconds(100)
    private static let patience = TimeAmount.seconds(1)

    private var watched: WatchedFolders
    private let changed: @Sendable () -> Void
    private var first: NIODeadline?
    private var timer: Scheduled<Void>?

    init(_ watched: WatchedFolders, _ changed: @escaping @Sendable () -> Void) {
        self.watched = watched
        self.changed = changed
    }

    func handlerAdded(context: ChannelHandlerContext) { watched.watch() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var events = unwrapInboundIn(data)
        guard watched.isConcerned(by: &events) else { return }
        let now = NIODeadline.now()
        let begun = first ?? now
        first = begun
        guard now - begun < Self.patience else { return }
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.quiet) {
            self.first = nil
            // Before it is read: what changes meanwhile is told again.
            self.watched.watch()
            self.changed()
        }
    }

    func channelInactive(context: ChannelHandlerContext) { timer?.cancel() }
}
