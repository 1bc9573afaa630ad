import CLinux
import Ground
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// Pages of the web in the person's own browser.
enum DesktopPage {
    /// Has the desktop open a page, and does not wait for that. The browser stays when the extension ends.
    /// - Returns: false if there is no desktop, or nothing with which it opens pages.
    static func open(_ page: String) -> Bool {
        var environment = ProcessInfo.processInfo.environment
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }) else {
            return false
        }
        // The page may be the first that the browser shows, and its settings for Kerberos are the session's.
        environment["KRB5_CONFIG"] = PrivateConfiguration.named.withLock { $0 }
        let nothing = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return false }
        defer { close(nothing) }
        let command: [String] = [program, page]
        let words = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let descriptors = [nothing, nothing, nothing]
        guard lanyard_spawn(&process, program, words, variables, descriptors, Int32(descriptors.count)) == 0 else {
            return false
        }
        let started = process
        // Its end is waited for, so that it does not stay as a zombie.
        BlockingThread.start { while waitpid(started, nil, 0) < 0, errno == EINTR {} }
        return true
    }

    private static let program = "/usr/bin/xdg-open"
}
