/// Whether a page stays in touch with the window that opened it: `Cross-Origin-Opener-Policy`.
enum OpenerPolicy: String {
    /// The two cannot reach each other, so the one cannot lead the other elsewhere.
    case isolated = "same-origin"
    /// They stay in touch. An app that lets people sign in in a window of their own waits for an answer from it, and
    /// one answer on the way that isolates itself ends that for good: `window.opener` is null from then on, and to the
    /// app the window looks closed. What the app can do to the window is little: read nothing, lead it elsewhere as any
    /// site could with a window that it opened, close it.
    case keepsOpener = "unsafe-none"
}
