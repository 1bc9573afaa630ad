/// A path on this server to which a person goes on after a step in between.
struct LocalPath: Sendable {
    let text: String

    /// A text that a browser could take for an address on another site becomes the path of the start page.
    init(_ text: String?) {
        let isLocal = text.map {
            $0.hasPrefix("/") && !$0.hasPrefix("//") && !$0.hasPrefix("/\\")
                && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } && $0.utf8.count <= 2_048
        }
        self.text = isLocal == true ? text! : "/"  // nil is not local
    }
}
