import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads what a domain serves at `/.well-known/apple-app-site-association`: the apps that may answer for it.
/// ``DomainApproval`` decides what follows from it.
///
/// Only the service `authsrv` is read. docs/specifications/extensible-single-sign-on.md, 8.
public struct AssociationFile: Equatable, Sendable {
    public static let path = "/.well-known/apple-app-site-association"
    /// The maximum size in bytes.
    public static let bytesMax = 128 << 10

    /// Why a file is not a proof.
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

    /// Application identifiers: team id, dot, bundle id. Case-sensitive.
    public let apps: Set<String>

    public init(apps: Set<String>) { self.apps = apps }

    public init(_ data: Data) throws(Problem) {
        guard data.count <= Self.bytesMax else { throw .tooLarge }
        // Zero bytes mean UTF-16, which Foundation's parser accepts, but in which the search for repeated names below
        // would find nothing.
        guard String(validating: data, as: UTF8.self) != nil, !data.contains(0),
            let object = try? JSONValue(reading: data).fields
        else { throw .notJSON }
        // Parsers differ in which of two equal names they take, and one of them may have been put in by somebody else.
        guard !JSONNames.isRepeated(AssociatedDomain.authentication, orBelowIt: "apps", in: data) else {
            throw .ambiguous
        }
        guard let service = object[AssociatedDomain.authentication] else { throw .noService }
        guard let names = service.fields?["apps"]?.texts else { throw .noApps }
        self.apps = Set(names)
    }
}
