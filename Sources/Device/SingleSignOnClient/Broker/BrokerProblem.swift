import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// What can go wrong between a caller and the broker, as opposed to what an extension answers.
public protocol BrokerProblem: Error, CustomStringConvertible {}

/// There is no broker, it went away, or it does not answer in time. Go on as if there were no single sign-on.
public struct BrokerUnavailable: BrokerProblem, Hashable {
    public let socketPath: String
    public let reason: String

    public init(socketPath: String, reason: String) {
        self.socketPath = socketPath
        self.reason = reason
    }

    public var description: String { "The single sign-on broker at \(socketPath) cannot be asked: \(reason)." }

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as IOError where error.errnoCode == ENOENT: "nothing listens there"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case is TimeIsOver, ChannelError.connectTimeout: "it does not answer in time"
        case is BrokerExchange.Ended, is ChannelError, HTTPParserError.invalidEOFState:
            "it ended the connection before the answer"
        default: "\(error)"
        }
    }
}

/// The broker understood the request, and refused it.
public struct BrokerRefusal: BrokerProblem, Hashable {
    /// The HTTP status.
    public let status: Int
    public let message: String

    init(status: Int, body: Data) {
        struct Message: Decodable { let error: String }
        self.status = status
        let text = (try? JSONDecoder().decode(Message.self, from: body))?.error ?? String(decoding: body, as: UTF8.self)
        message = String(text.prefix(1000))
    }

    public var description: String {
        "The single sign-on broker refuses with status \(status)" + (message.isEmpty ? "." : ": \(message)")
    }
}

/// This version does not understand the broker's answer.
public struct BrokerAnswerUnreadable: BrokerProblem {
    public let reason: String

    public var description: String {
        "The single sign-on broker's answer cannot be read; it may be of another version. \(reason)"
    }
}
