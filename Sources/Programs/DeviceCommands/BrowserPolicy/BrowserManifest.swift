import BrowserExtension
import CommandOutput
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The extension's `manifest.json`, in which the key, the host permissions and the version are set when it is written.
struct BrowserManifest {
    private var fields: [String: JSONValue]

    init(of engine: BrowserExtension.Engine) throws {
        try self.init(reading: Data(BrowserExtension.files(for: engine)[0].content))
    }

    init(reading content: Data) throws {
        guard let fields = try JSONValue(reading: content).fields else {
            throw Failure("The extension's manifest is no JSON object.")
        }
        self.fields = fields
    }

    var version: String {
        get { fields["version"]?.text ?? "" }
        set { fields["version"] = .string(newValue) }
    }

    /// The public key (SubjectPublicKeyInfo, DER) that gives the extension its id in Chromium.
    var key: Data? {
        get { (fields["key"]?.text).flatMap { Data(base64Encoded: $0) } }
        set { fields["key"] = newValue.map { .string($0.base64EncodedString()) } }
    }

    /// Match patterns of the hosts for which the extension may set cookies and redirect navigations.
    var hostPermissions: [String] {
        get { fields["host_permissions"]?.texts ?? [] }
        set { fields["host_permissions"] = .array(newValue.map(JSONValue.string)) }
    }

    /// Browsers update an extension only to a higher version. So if the hosts differ from the previous manifest, the
    /// fourth number of its version is increased.
    mutating func continueVersion(of previous: BrowserManifest) {
        let numbers = previous.version.split(separator: ".")
        guard numbers.prefix(3).joined(separator: ".") == version else { return }
        let revision = numbers.count > 3 ? Int(numbers[3]) ?? 0 : 0
        let next = previous.hostPermissions == hostPermissions ? revision : revision + 1
        if next > 0 { version += ".\(next)" }
    }

    func encoded() throws -> Data {
        try JSONEncoder.readable.encode(fields)
    }
}
