import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a domain serves at `/.well-known/apple-app-site-association`: the apps that it lets speak for it.
///
/// Of the services in it only `authsrv` is looked at. extensible-sso.md section 3.4.
public struct AssociationFile: Equatable, Sendable {
    public static let path = "/.well-known/apple-app-site-association"
    public static let bytesMax = 128 << 10

    /// Why a file proves nothing.
    public enum Problem: Error, Equatable, CustomStringConvertible {
        case tooLarge
        case notJSON
        case noService
        case noApps
        case ambiguous

        public var description: String {
            switch self {
            case .tooLarge: "the association file has more than 128 KiB"
            case .notJSON: "the association file is no JSON object"
            case .noService: "the association file has no “authsrv”"
            case .noApps: "“authsrv” in the association file has no “apps”, an array of strings"
            case .ambiguous: "the association file has “authsrv” twice, or “apps” in it"
            }
        }
    }

    /// Team id, dot, bundle id; compared with capitals.
    public let apps: Set<String>

    public init(apps: Set<String>) { self.apps = apps }

    public init(_ data: Data) throws(Problem) {
        guard data.count <= Self.bytesMax else { throw .tooLarge }
        // UTF-16 has bytes of zero, which JSON has nowhere: a parser takes it, and who looks for names twice is blind to it.
        guard String(validating: data, as: UTF8.self) != nil, !data.contains(0),
            let object = try? JSONValue(reading: data).fields
        else { throw .notJSON }
        // Readers differ in which of the two they take: one of them may not be the domain's own.
        guard !JSONNames.isRepeated(AssociatedDomain.authentication, orBelowIt: "apps", in: data) else {
            throw .ambiguous
        }
        guard let service = object[AssociatedDomain.authentication] else { throw .noService }
        guard let names = service.fields?["apps"]?.texts else { throw .noApps }
        self.apps = Set(names)
    }
}
