/// A path on this server to go to after a step in between.
struct LocalPath: Sendable {
    let text: String

    /// Anything that a browser could take for another site becomes the start page.
    init(_ text: String?) {
        let isLocal = text.map {
            $0.hasPrefix("/") && !$0.hasPrefix("//") && !$0.hasPrefix("/\\")
                && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } && $0.utf8.count <= 2_048
        }
        self.text = isLocal == true ? text! : "/"  // nil is not local
    }
}
