import Foundation
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

/// Tells when something changes in folders, also in those that do not exist yet. Costs nothing while nothing does.
struct FolderWatcher {
    private let channel: any Channel

    struct CannotWatch: Error, CustomStringConvertible {
        let errno: Int32
        var description: String { "folders cannot be watched: \(String(cString: strerror(errno)))" }
    }

    /// - Parameter changed: called some milliseconds after the last of several changes, on the event loop.
    init(_ folders: [String], on loop: any EventLoop, changed: @escaping @Sendable () -> Void) async throws {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw CannotWatch(errno: errno) }
        Self.watch(folders, descriptor)
        channel = try await NIOPipeBootstrap(group: loop)
            // An event that does not fit is an error.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16_384))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        BurstHandler {
                            Self.watch(folders, descriptor)
                            changed()
                        })
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor).get()
    }

    func stop() { channel.close(promise: nil) }

    /// Watching what is watched already changes nothing. For a folder that is missing, the nearest that is not.
    private static func watch(_ folders: [String], _ descriptor: Int32) {
        let mask = UInt32(
            IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF
                | IN_MOVE_SELF | IN_ONLYDIR)
        for folder in folders {
            var path = folder
            while inotify_add_watch(descriptor, path, mask) < 0, errno == ENOENT, path != "/", !path.isEmpty {
                path = (path as NSString).deletingLastPathComponent
            }
        }
    }
}

/// Waits for the end of a burst of changes: a file is written, renamed, its mode changed.
private final class BurstHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let changed: () -> Void
    private var end: Scheduled<Void>?

    init(_ changed: @escaping () -> Void) { self.changed = changed }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        end?.cancel()
        end = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(100)) { self.changed() }
    }

    func channelInactive(context: ChannelHandlerContext) { end?.cancel() }
}
