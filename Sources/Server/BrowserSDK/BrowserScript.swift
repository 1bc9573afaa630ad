/// The script that web pages load to sign people in, and its types, embedded in the binary.
///
/// Written from the documented interface of the script that such pages already use, so that they only have to change
/// the address in their `<script>`. It knows nothing of the server except the address from which it was loaded.
package enum BrowserScript {
    /// JavaScript, in UTF-8.
    package static let text: [UInt8] = {
        let frame = String(decoding: PackageResources.umd_js, as: UTF8.self)
        let content = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        return Array(frame.replacing(place, with: "\n" + content + "\n").utf8)
    }()

    /// TypeScript declarations, in UTF-8.
    package static let declarations = PackageResources.lanyard_d_ts

    /// The line of the frame (`umd.js`) that is replaced by the parts.
    private static let place = "    // {parts}\n"

    /// The parts share one scope, so a constant has to stand before the parts that use it while they load.
    private static let parts = [
        PackageResources.place_js, PackageResources.configuration_js, PackageResources.request_js,
        PackageResources.popup_js, PackageResources.words_js, PackageResources.look_js, PackageResources.button_js,
        PackageResources.control_js, PackageResources.start_js,
    ]
}
