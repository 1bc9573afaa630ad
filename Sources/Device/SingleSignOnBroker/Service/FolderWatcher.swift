import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

/// Tells when files change in folders, also in those that do not exist yet. It uses inotify(7), and costs no time while
/// nothing changes.
final class FolderWatcher: Sendable {
    /// A folder, and by their names the files in it that matter.
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

    /// - Parameter changed: called on the event loop 100 ms after the last of several changes, and at most about a
    ///   second after the first.
    /// - Throws: ``CannotWatch``, or an error of NIO's.
    static func start(
        _ folders: [Folder], on loop: any EventLoop, changed: @escaping @Sendable () -> Void
    ) async throws -> FolderWatcher {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw CannotWatch(errno: errno) }
        let channel = try await NIOPipeBootstrap(group: loop)
            // A read fails unless an event with the longest name fits.
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

/// The watched folders, by their inotify watch descriptors.
struct WatchedFolders {
    private let folders: [FolderWatcher.Folder]
    private let descriptor: Int32
    /// Decides by a file's name whether a change matters: one closure for each reason to watch the folder.
    private var concerns: [Int32: [@Sendable (String) -> Bool]] = [:]

    init(_ folders: [FolderWatcher.Folder], _ descriptor: Int32) {
        self.folders = folders
        self.descriptor = descriptor
    }

    /// Watches the folders that exist now. To be called again after every change, because folders may have been made or
    /// replaced.
    mutating func watch() {
        let before = concerns.keys
        concerns = [:]
        for folder in folders { watch(folder) }
        for number in before where concerns[number] == nil { inotify_rm_watch(descriptor, number) }
    }

    /// Watches a folder. If it is missing, its nearest existing parent is watched for the next folder on the way to it.
    private mutating func watch(_ folder: FolderWatcher.Folder) {
        var path = folder.path
        // The missing names on the way to the folder, the one nearest to `path` last.
        var below: [String] = []
        while true {
            let number = inotify_add_watch(descriptor, path, Self.mask)
            if number >= 0 {
                guard let next = below.last else {
                    concerns[number, default: []].append(folder.concerns)
                    return
                }
                concerns[number, default: []].append { $0 == next }
                // The next folder may have been made before the watch began, in which case there will be no event.
                let child = path == "/" ? "/\(next)" : "\(path)/\(next)"
                guard access(child, F_OK) == 0 else { return }
                path = child
                below.removeLast()
                // The next name is a file and not a folder.
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

    /// Whether any of several events matters.
    /// - Parameter events: `struct inotify_event` of inotify(7), one after the other: watch descriptor, mask, cookie,
    ///   the length of the name, and the name.
    func isConcerned(by events: inout ByteBuffer) -> Bool {
        var isConcerned = false
        while let (number, mask, _, length) = events.readMultipleIntegers(
            endianness: .host, as: (Int32, UInt32, UInt32, UInt32).self)
        {
            let name = events.readString(length: Int(length)) ?? ""
            // After an overflow events are missing, so everything may have changed. An event without a name is about
            // the folder itself. Events of folders that are not watched any more are left out.
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

    /// Several events belong together, for example when a file is written, renamed and given another mode. They are
    /// told once, after so much time without a further event.
    private static let quiet = TimeAmount.milliseconds(100)
    /// After this time further events do not delay it any more.
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
            // The folders are watched before they are read, so that a change during the reading is told again.
            self.watched.watch()
            self.changed()
        }
    }

    func channelInactive(context: ChannelHandlerContext) { timer?.cancel() }
}
