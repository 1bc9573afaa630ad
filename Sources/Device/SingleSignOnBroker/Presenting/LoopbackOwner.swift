import Ground
import NIOCore

/// Finds out which user has the other end of a loopback connection, from the kernel's table of sockets.
enum LoopbackOwner {
    private static let established = "01"

    /// - Returns: the user's number; nil if the connection is not from 127.0.0.1 or not in the table.
    static func user(of channel: any Channel) -> UInt32? {
        // Another address of this device may use the same port for another user's connection, so only this one counts.
        guard channel.remoteAddress?.ipAddress == "127.0.0.1", let remote = channel.remoteAddress?.port,
            let local = channel.localAddress?.port,
            let table = ProcessFile.read("/proc/net/tcp", bytesMax: 16 << 20)
        else { return nil }
        return user(in: table, from: remote, to: local)
    }

    /// Looks for the line of the client's socket: its local port is our remote one. Only established connections count,
    /// because the table says of closed ones that they belong to root.
    static func user(in table: String, from remote: Int, to local: Int) -> UInt32? {
        func hexadecimal(_ port: Int) -> String {
            let digits = String(port, radix: 16, uppercase: true)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        let wanted = ("0100007F:\(hexadecimal(remote))", "0100007F:\(hexadecimal(local))")
        for line in table.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: " ")
            guard columns.count > 7, columns[1] == wanted.0, columns[2] == wanted.1,
                columns[3] == established
            else { continue }
            return UInt32(columns[7])
        }
        return nil
    }
}
