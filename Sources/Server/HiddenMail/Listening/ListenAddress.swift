import Foundation

/// Where the mail server connects: a port of this machine, or a Unix socket.
package enum ListenAddress: Equatable, Sendable, CustomStringConvertible {
    case tcp(host: String, port: Int)
    /// The group of the socket file may connect, so its folder should belong to the mail server's group.
    case unix(path: String)

    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let text: String
        package var description: String {
            """
            “\(text)” is no address to listen on. Write a port of this machine such as 127.0.0.1:9025, or the path of a \
            socket such as /run/lanyard/policy. Other machines may not ask: the answers name people's addresses.
            """
        }
    }

    /// - Throws: ``Problem``
    package init(_ text: String) throws {
        if text.hasPrefix("/") {
            // The operating system limits the length of a socket's path.
            guard text.utf8.count < 104 else { throw Problem(text: text) }
            self = .unix(path: text)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), ["127.0.0.1", "[::1]", "localhost"].contains(text[..<colon])
        else { throw Problem(text: text) }
        self = .tcp(host: text[..<colon] == "[::1]" ? "::1" : String(text[..<colon]), port: port)
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
