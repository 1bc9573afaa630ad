import Crypto
import Ground

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// By which rules association files are fetched. The exceptions are for authors and tests of extensions.
public struct AssociationRules: Sendable {
    /// Certificate authorities that count besides the public ones, in PEM.
    public var extraRoots: Data?
    /// Whether the certificate is not checked for entries with `?mode=developer`.
    public var heedsDeveloperMode = false
    /// The name or address to connect to in place of a domain, by domain.
    public var addresses: [String: String] = [:]
    /// The port at which domains are asked; nil means 443.
    public var port: Int?

    /// Without exceptions.
    public init() {}

    /// What is said on a command line is no rule.
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    /// The rules as they are said on a command line.
    /// - Parameters:
    ///   - extraRoots: the path of a file.
    ///   - addresses: each as `name=address`.
    package init(
        extraRoots: String?, addresses: [String], port: Int?, heedsDeveloperMode: Bool
    ) throws(Unusable) {
        self.port = port
        self.heedsDeveloperMode = heedsDeveloperMode
        for word in addresses {
            let halves = word.split(separator: "=")
            guard halves.count == 2 else { throw Unusable(description: "--domain-address is name=address.") }
            self.addresses[String(halves[0])] = String(halves[1])
        }
        guard let extraRoots else { return }
        guard let roots = FileManager.default.contents(atPath: extraRoots) else {
            throw Unusable(description: "\(extraRoots) cannot be read.")
        }
        self.extraRoots = roots
    }

    /// Names the rules. Records that were made under other rules do not count.
    package var name: String {
        var exceptions: [String] = []
        if let extraRoots { exceptions.append("roots \(Array(SHA256.hash(data: extraRoots)).hexadecimal)") }
        if heedsDeveloperMode { exceptions.append("developer mode") }
        if let port { exceptions.append("port \(port)") }
        exceptions += addresses.sorted { $0.key < $1.key }.map { "\($0.key) at \($0.value)" }
        return exceptions.isEmpty ? "public" : (["with exceptions"] + exceptions).joined(separator: ", ")
    }

    /// A sentence on each exception that is in use.
    package var warnings: [String] {
        var warnings: [String] = []
        if extraRoots != nil {
            warnings.append("Domains may prove themselves with an authority that is not public: for tests only.")
        }
        if heedsDeveloperMode {
            warnings.append("Domains in developer mode are believed without a certificate: for tests only.")
        }
        if port != nil || !addresses.isEmpty {
            warnings.append("Domains are asked at other places than their own: for tests only.")
        }
        return warnings
    }

    /// Whether the domain is believed without a look at its certificate.
    package func isBelieved(_ domain: AssociatedDomain) -> Bool {
        heedsDeveloperMode && domain.mode?.isDeveloper == true
    }
}

extension AssociatedDomain.Mode {
    package var isDeveloper: Bool { self == .developer || self == .developerAndManaged }
}
