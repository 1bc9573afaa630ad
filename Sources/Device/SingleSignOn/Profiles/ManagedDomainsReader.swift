import SingleSignOnWire

/// Reads a payload `com.apple.associated-domains`. docs/specifications/extensible-single-sign-on.md, 7.5 and 7.6.
struct ManagedDomainsReader {
    private(set) var findings: [Finding] = []
    private var keys: Keys

    init(_ keys: Keys) {
        self.keys = keys
    }

    mutating func read() -> [ManagedDomains] {
        let entries = keys.array("Configuration", isRequired: true) ?? []
        findings += keys.findings
        return entries.enumerated().compactMap { index, value in
            let path = keys.path(of: "Configuration[\(index)]")
            guard case .dictionary(let entries) = value else {
                findings.append(
                    Finding(
                        .error, at: path, "This is \(value.typeName.withArticle), not a dictionary.",
                        remedy: "Write one <dict> for each app."))
                return nil
            }
            return read(Keys(entries, at: path))
        }
    }

    private mutating func read(_ entry: Keys) -> ManagedDomains? {
        var entry = entry
        defer { findings += entry.findings }
        let app = entry.identifier("ApplicationIdentifier", isRequired: true)
        if let app, !app.contains(".") {
            entry.report(
                .error, "ApplicationIdentifier", "is “\(app)”.",
                "Write the team id, a dot, and the bundle id: ACME123456.test.acme.signin.")
        }
        let isDirect = entry.boolean("EnableDirectDownloads") ?? false
        let domains = (entry.strings("AssociatedDomains", isRequired: true) ?? []).compactMap { index, text in
            do throws(AssociatedDomain.Problem) {
                return try AssociatedDomain(text)
            } catch {
                entry.report(.error, "AssociatedDomains[\(index)]", "has “\(text)”, \(error.reason).", error.remedy)
                return nil
            }
        }
        return app.map { ManagedDomains(applicationIdentifier: $0, domains: domains, enableDirectDownloads: isDirect) }
    }
}

extension AssociatedDomain.Problem {
    fileprivate var reason: String {
        switch self {
        case .noService: "which names no service"
        case .malformedDomain: "whose domain is none"
        case .hasPort: "which has a port"
        case .hasPath: "which has a path"
        case .hasScheme: "which is a URL"
        case .unknownMode(let query): "which ends with “?\(query)”"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .unknownMode: "After the question mark stands mode=developer, mode=managed or mode=developer+managed."
        default: "Write the service, a colon and the domain: authsrv:id.acme.test."
        }
    }
}
