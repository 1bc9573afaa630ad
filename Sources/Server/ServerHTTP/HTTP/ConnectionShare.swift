import Directory
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Counts the connections of each address.
final class ConnectionShares: Sendable {
    private let max: Int
    private let exempt: TrustedProxies
    private let counts = Mutex<[AddressBlock: Int]>([:])

    /// - Parameter exempt: proxies, which have the connections of all their clients.
    init(max: Int, exempt: TrustedProxies) {
        self.max = max
        self.exempt = exempt
    }

    /// - Returns: the address for which the connection was counted; nil for a proxy's.
    /// - Throws: ``Exhausted`` if the address has its share.
    fileprivate func open(_ address: String) throws -> AddressBlock? {
        guard !exempt.contains(address) else { return nil }
        let block = AddressBlock(address)
        return try counts.withLock { counts in
            let count = counts[block] ?? 0
            guard count < max else { throw Exhausted() }
            counts[block] = count + 1
            return block
        }
    }

    fileprivate func close(_ block: AddressBlock) {
        counts.withLock { counts in
            guard let count = counts[block] else { return }
            counts[block] = count > 1 ? count - 1 : nil
        }
    }

    struct Exhausted: Error {}
}

/// Closes connections of an address that has its share already, so that one address cannot take all places.
final class ConnectionShare: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let shares: ConnectionShares
    private var counted: AddressBlock?

    init(_ shares: ConnectionShares) { self.shares = shares }

    func channelActive(context: ChannelHandlerContext) {
        do {
            // A Unix socket has no address. Only the operator's own proxy can open it.
            counted = try context.remoteAddress?.ipAddress.flatMap(shares.open)
            context.fireChannelActive()
        } catch {
            context.fireChannelActive()
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let counted { shares.close(counted) }
        counted = nil
        context.fireChannelInactive()
    }
}
