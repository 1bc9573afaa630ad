/// The script that web pages load to sign people in, and its types, embedded in the binary.
///
/// Written from the documented interface of the script that such pages already use, so that they work with another
/// address in their `<script>` and nothing else changed. It knows nothing of the server but the address it came from.
package enum BrowserScript {
    /// JavaScript, in UTF-8.
    package static let text: [UInt8] = {
        let frame = String(decoding: PackageResources.umd_js, as: UTF8.self)
        let content = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        return Array(frame.replacing(place, with: "\n" + content + "\n").utf8)
    }()

    /// TypeScript declarations, in UTF-8.
    package static let declarations = PackageResources.lanyard_d_ts

    /// The line of the frame that the parts replace.
    private static let place = "    // {parts}\n"

    /// They share one scope; a constant must stand before what uses it at once.
    private static let parts = [
        PackageResources.place_js, PackageResources.configuration_js, PackageResources.request_js,
        PackageResources.popup_js, PackageResources.words_js, PackageResources.look_js, PackageResources.button_js,
        PackageResources.control_js, PackageResources.start_js,
    ]
}
