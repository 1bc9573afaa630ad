import CSystemd
import Glibc
import ServerHTTP
import ServiceLifecycle

/// Tells systemd that the server is ready, and as long as it serves, that it still runs: for units with `Type=notify` and
/// `WatchdogSec=`. Without systemd it says nothing, as `sd_notify(3)` finds nobody in the environment to say it to.
struct ServiceManager: Service {
    /// Called when connections are accepted.
    func tellReady() { _ = sd_notify(0, "READY=1") }

    /// Says twice in each `WatchdogSec=` that threads for tasks are free. It ends after the services that were given to the group
    /// later, so that open requests are finished under watch too.
    func run() async throws {
        var limit: UInt64 = 0
        guard sd_watchdog_enabled(0, &limit) > 0 else { return try await gracefulShutdown() }
        let pause = Duration.microseconds(limit / 2)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                _ = sd_notify(0, "WATCHDOG=1")
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// The name under which systemd holds the socket.
    private static let socketName = "clients"

    /// The socket for clients: one that systemd has given at this start, or a new one, which it holds from now on where the unit has
    /// `FileDescriptorStoreMax=1`. While the server is started anew, connections then wait instead of being refused.
    /// - Throws: what ``ListeningSocket/init(host:port:)`` throws
    static func socket(host: String, port: Int) throws -> ListeningSocket {
        var given: ListeningSocket?
        for (name, descriptor) in givenDescriptors() {
            // A unit that the administrator has written for the socket has a name of its own.
            if given == nil, let socket = ListeningSocket(descriptor, host: host, port: port) {
                given = socket
                continue
            }
            // The settings name another address now, or it is nothing for clients.
            close(descriptor)
            if name == socketName { _ = sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)") }
        }
        if let given { return given }
        let socket = try ListeningSocket(host: host, port: port)
        var descriptor = socket.descriptor
        _ = sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(socketName)", &descriptor, 1)
        return socket
    }

    /// Open files that systemd gives to this process (sd_listen_fds_with_names(3)), with their names.
    private static func givenDescriptors() -> [(String, Int32)] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        defer {
            for index in 0..<max(Int(count), 0) { free(names?[index]) }
            free(names)
        }
        return (0..<max(count, 0)).map { index in
            (names?[Int(index)].map { String(cString: $0) } ?? "", SD_LISTEN_FDS_START + index)
        }
    }
}
