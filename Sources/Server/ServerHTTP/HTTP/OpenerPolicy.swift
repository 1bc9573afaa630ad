/// Whether a page stays in touch with the window that opened it: `Cross-Origin-Opener-Policy`.
enum OpenerPolicy: String {
    /// The windows cannot reach each other, so neither can lead the other elsewhere.
    case isolated = "same-origin"
    /// The windows stay in touch. An app that opens a popup for the sign-in waits for a message from it. A single
    /// isolated answer on the way would end that for good: `window.opener` would be null from then on, and the popup
    /// would look closed to the app. In turn, the app can do little to the popup: it cannot read it, only close it or
    /// navigate it, as any site can do with a window that it has opened.
    case keepsOpener = "unsafe-none"
}
