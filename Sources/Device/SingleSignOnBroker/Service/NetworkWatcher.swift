import CLinux
import Ground
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

/// Tells when this device may have got a network: it is in another one, or has another router. Another address in the same network
/// is no news. It costs no time while nothing changes.
final class NetworkWatcher: Sendable {
    private let channel: any Channel

    struct CannotWatch: Error, CustomStringConvertible {
        let errno: Int32
        var description: String { "the network cannot be watched: \(String(cString: strerror(errno)))" }
    }

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    deinit { channel.close(promise: nil) }

    /// - Parameter changed: called on the event loop, two seconds after the first of several changes.
    /// - Throws: ``CannotWatch``, or an error of NIO's.
    static func start(
        on loop: any EventLoop, changed: @escaping @Sendable () -> Void
    ) async throws -> NetworkWatcher {
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), NETLINK_ROUTE)
        guard descriptor >= 0 else { throw CannotWatch(errno: errno) }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(
            RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size)) == 0
            }
        }
        guard isBound else {
            let reason = errno
            close(descriptor)
            throw CannotWatch(errno: reason)
        }
        // If the kernel drops messages because there are too many, those that arrive are enough.
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_NETLINK, NETLINK_NO_ENOBUFS, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let channel = try await NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NetworkEventHandler(changed))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor).get()
        return NetworkWatcher(channel)
    }
}

private final class NetworkEventHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// A network sets up addresses, routes and name servers one after the other. It is usable after about this time.
    private static let quiet = TimeAmount.seconds(2)

    private let changed: @Sendable () -> Void
    private var timer: Scheduled<Void>?
    private var changes = NetworkChanges(Networks.current())

    init(_ changed: @escaping @Sendable () -> Void) {
        self.changed = changed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let change = Self.change(unwrapInboundIn(data))
        guard change != .none else { return }
        // Wireless networks tell of themselves often, and only what is gone has to be seen before it comes back.
        if change == .loss { changes.lose(Networks.current()) }
        // Further messages do not put this off, because they may never stop.
        guard timer == nil else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.quiet) {
            self.timer = nil
            if self.changes.take(Networks.current()) { self.changed() }
        }
    }

    func channelInactive(context: ChannelHandlerContext) { timer?.cancel() }

    private enum Change {
        case none
        /// Something may be new.
        case gain
        /// Something may be gone.
        case loss
    }

    /// Reads a message of rtnetlink(7). The kind stands at byte 4 of its header of 16 bytes. A link's flags stand at byte 24. A route
    /// follows with its family, and at byte 17 the length of its destination prefix, which is 0 for a default route.
    private static func change(_ message: ByteBuffer) -> Change {
        let start = message.readerIndex
        switch message.getInteger(at: start + 4, endianness: .host, as: UInt16.self).map(Int.init) {
        case RTM_DELADDR, RTM_DELLINK: return .loss
        case RTM_NEWADDR: return .gain
        case RTM_NEWLINK:
            let flags = message.getInteger(at: start + 24, endianness: .host, as: UInt32.self) ?? 0
            return flags & UInt32(IFF_RUNNING) != 0 && flags & UInt32(IFF_UP) != 0 ? .gain : .loss
        case RTM_NEWROUTE: return message.getInteger(at: start + 17, as: UInt8.self) == 0 ? .gain : .none
        case RTM_DELROUTE: return message.getInteger(at: start + 17, as: UInt8.self) == 0 ? .loss : .none
        default: return .none
        }
    }
}
