import BrowserExtension
import Foundation

/// The extension's `manifest.json`, of which two things are filled in when it is written.
struct BrowserManifest {
    private var fields: [String: Any]

    init(of engine: BrowserExtension.Engine) throws {
        let content = BrowserExtension.files(for: engine)[0].content
        guard let fields = try JSONSerialization.jsonObject(with: Data(content)) as? [String: Any] else {
            throw Failure("The extension's manifest is no JSON object.")
        }
        self.fields = fields
    }

    var version: String {
        get { fields["version"] as? String ?? "" }
        set { fields["version"] = newValue }
    }

    /// The public key (SubjectPublicKeyInfo, DER) that gives the extension its id in Chromium.
    var key: Data? {
        get { (fields["key"] as? String).flatMap { Data(base64Encoded: $0) } }
        set { fields["key"] = newValue?.base64EncodedString() }
    }

    func encoded() throws -> Data {
        try JSONSerialization.data(
            withJSONObject: fields, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }
}
