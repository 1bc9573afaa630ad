import KerberosProfile
import SingleSignOnWire

/// What a payload for the built-in Kerberos extension must say. docs/specifications/extensible-single-sign-on.md, 6 and 22.
package enum KerberosKeys {
    package static let extensionIdentifier = "com.apple.AppSSOKerberos.KerberosExtension"
    package static let teamIdentifier = "apple"

    static func check(
        _ keys: inout Keys, identifier: String?, team: String?, type: String?, realm: String?,
        data: [String: PropertyListValue]
    ) {
        guard identifier == extensionIdentifier else { return }
        if type == "Redirect" {
            keys.report(.error, "Type", "is Redirect.", "The Kerberos extension is a Credential one.")
        }
        if team != teamIdentifier { keys.report(.error, "TeamIdentifier", "is not “apple”.", "Write apple.") }
        if realm == nil, keys.entries["Realm"] == nil {
            keys.report(.error, "Realm", "is missing.", "The Kerberos extension needs one, such as CORP.ACME.TEST.")
        }
        for finding in KerberosSettings(realm: realm ?? "", extensionData: data).findings
        where finding.isInData || realm != nil {
            let key = finding.isInData ? "ExtensionData.\(finding.key)" : finding.key
            keys.report(finding.severity.severity, key, finding.problem, finding.remedy)
        }
    }
}

extension SingleSignOnPayload {
    /// Sentences on keys of a payload for Kerberos that have no effect on Linux, or another one than elsewhere.
    package var kerberosNotes: [String] {
        guard isKerberos else { return [] }
        return KerberosSettings(realm: realm ?? "", extensionData: extensionData).findings
            .filter { $0.severity == .information && $0.isInData }
            .map { "ExtensionData.\($0.key) \($0.problem)" }
    }
}

extension KerberosFinding.Severity {
    fileprivate var severity: Finding.Severity {
        switch self {
        case .error: .error
        case .warning: .warning
        case .information: .information
        }
    }
}

extension SingleSignOnPayload {
    /// Whether it is for the built-in Kerberos extension.
    package var isKerberos: Bool { extensionIdentifier == KerberosKeys.extensionIdentifier }

    /// Whether its realm is to be the default one.
    var isDefaultRealm: Bool { isKerberos && extensionData["isDefaultRealm"]?.flag == true }
}
