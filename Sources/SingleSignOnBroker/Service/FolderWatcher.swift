@preconcurrency import Dispatch
import Foundation
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#endif

/// Tells when something changes in folders, also in those that do not exist yet. Costs nothing while nothing does.
final class FolderWatcher: Sendable {
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let queue = DispatchQueue(label: "folders")

    struct CannotWatch: Error, CustomStringConvertible {
        let errno: Int32
        var description: String { "folders cannot be watched: \(String(cString: strerror(errno)))" }
    }

    /// - Parameter changed: called some milliseconds after the last of several changes, on a thread of its own.
    init(_ folders: [String], changed: @escaping @Sendable () -> Void) throws {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw CannotWatch(errno: errno) }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let (descriptor, queue) = (descriptor, queue)
        let burst = NIOLockedValueBox(0)
        source.setEventHandler {
            guard Self.drain(descriptor) else { return }
            // Wait for the end of a burst: a file is written, renamed, its mode changed.
            let number = burst.withLockedValue { number in
                number += 1
                return number
            }
            queue.asyncAfter(deadline: .now() + .milliseconds(100)) {
                guard burst.withLockedValue({ $0 }) == number else { return }
                Self.watch(folders, descriptor)
                changed()
            }
        }
        Self.watch(folders, descriptor)
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    /// - Returns: whether there was anything.
    private static func drain(_ descriptor: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var hasAny = false
        while read(descriptor, &bytes, bytes.count) > 0 { hasAny = true }
        return hasAny
    }

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
