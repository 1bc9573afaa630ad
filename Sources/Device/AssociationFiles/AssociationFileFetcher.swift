import CCurl
import Ground
import SingleSignOn
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Gets the association file of a domain over HTTPS: only from the domain itself, only with public certificate
/// authorities, and without following redirections. docs/specifications/extensible-single-sign-on.md, 9.3 to 9.5.
package struct AssociationFileFetcher: Sendable {
    static let timeLimit = Duration.seconds(10)

    private let rules: AssociationRules
    private let extraRoots: [Certificate]
    private let places: [PublicRoots.Place]
    /// Where a proxy may be named.
    private let environment: [String: String]
    private let timeLimit: Duration
    private let now: @Sendable () -> Date
    private let transfers = BlockingQueue(width: 8)

    /// The extra roots hold no certificate in PEM.
    package struct NoRoots: Error, CustomStringConvertible {
        package let description = "The file with roots holds no certificates in PEM."
    }

    /// - Throws: ``NoRoots``
    package init(_ rules: AssociationRules) throws {
        try self.init(
            rules, places: PublicRoots.places, environment: ProcessInfo.processInfo.environment,
            timeLimit: Self.timeLimit, now: Surroundings.system.now)
    }

    init(
        _ rules: AssociationRules, places: [PublicRoots.Place], environment: [String: String] = [:],
        timeLimit: Duration, now: @escaping @Sendable () -> Date
    ) throws {
        self.rules = rules
        extraRoots = rules.extraRoots.map(Certificate.all(inPEM:)) ?? []
        guard rules.extraRoots == nil || !extraRoots.isEmpty else { throw NoRoots() }
        self.places = places
        self.environment = environment
        self.timeLimit = timeLimit
        self.now = now
    }

    /// Fetches the file. Takes at most about ten seconds, whatever the domain does.
    package func fetch(_ domain: AssociatedDomain) async -> Result<AssociationFile, AssociationFileFailure> {
        do {
            return try await transfers.run { try request(domain) }
        } catch {
            return .failure(.unreachable("\(error)"))
        }
    }

    private func request(_ domain: AssociatedDomain) throws -> Result<AssociationFile, AssociationFileFailure> {
        let roots = try PublicRoots(from: places).certificates + extraRoots
        // A proxy does not know where an exception has a domain.
        let isElsewhere = rules.addresses[domain.domain] != nil
        let proxy = isElsewhere ? nil : try HTTPSProxy.proxy(for: domain.domain, in: environment)
        let transfer = try Transfer(to: place(of: domain), by: proxy)
        let reply: Transfer.Reply
        do {
            reply = try transfer.get(
                domain.associationFileURL(port: rules.port), trusting: rules.isBelieved(domain) ? nil : roots,
                bytesMax: AssociationFile.bytesMax + 1, within: timeLimit)
        } catch let failure as Transfer.Failure {
            return .failure(.unreachable(reason(failure, at: domain, by: proxy)))
        }
        if let failure = Self.failure(of: reply.status, at: domain) { return .failure(failure) }
        do {
            return .success(try AssociationFile(reply.body))
        } catch {
            return .failure(.denied("\(domain.domain): \(error)"))
        }
    }

    private func place(of domain: AssociatedDomain) -> Transfer.Place {
        Transfer.Place(
            host: domain.domain, port: rules.port ?? 443, address: rules.addresses[domain.domain])
    }

    /// - Returns: nil for 200, the only status whose body is read.
    static func failure(of status: Int, at domain: AssociatedDomain) -> AssociationFileFailure? {
        switch status {
        case 200: nil
        case 300..<400:
            .denied("\(domain.domain) answers with a redirection (\(status)) instead of the association file")
        // The server exists and asks to be tried later, which is not a refusal.
        case 408, 425, 429, 500...: .unreachable("\(domain.domain) answers with \(status)")
        case 404, 410: .denied("\(domain.domain) has no association file (\(status))")
        default: .denied("\(domain.domain) answers with \(status) instead of the association file")
        }
    }

    // MARK: Reasons

    private func reason(_ failure: Transfer.Failure, at domain: AssociatedDomain, by proxy: HTTPSProxy?) -> String {
        if failure.code == CURLE_OPERATION_TIMEDOUT {
            return "\(domain.domain) did not answer within \(timeLimit)"
        }
        guard let proxy else { return reason(failure, at: domain) }
        // It names the proxy too: nobody can tell whether an error is its or the domain's.
        switch failure.code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR:
            return """
                by \(proxy) \(domain.domain) shows no certificate of an authority that the public knows; a proxy that looks \
                into traffic has to leave this domain out
                """
        case CURLE_COULDNT_RESOLVE_PROXY: return "\(proxy) is not there"
        case CURLE_COULDNT_CONNECT where failure.systemError == ECONNREFUSED:
            return "\(proxy) is not there: nothing listens"
        case CURLE_COULDNT_CONNECT where failure.proxyStatus == 0: return "\(proxy) is not there"
        default: break
        }
        switch failure.proxyStatus {
        case 407: return "\(proxy) wants to know who asks; write the name and password into its address"
        case 300...: return "\(proxy) does not let anybody ask \(shown(domain))"
        default: return "\(domain.domain) could not be asked by \(proxy): \(failure.words)"
        }
    }

    private func reason(_ failure: Transfer.Failure, at domain: AssociatedDomain) -> String {
        switch failure.code {
        case CURLE_PEER_FAILED_VERIFICATION:
            return "\(domain.domain) has no certificate that counts: \(problem(failure, of: domain))"
        case CURLE_SSL_CONNECT_ERROR:
            let words = failure.reasonOfTLS.map { ": \($0)" } ?? ""
            return "\(domain.domain) could not be asked: there is no TLS with it\(words)"
        case CURLE_COULDNT_RESOLVE_HOST: return "\(domain.domain) is not known to DNS"
        case CURLE_COULDNT_CONNECT where failure.systemError == ECONNREFUSED:
            return "nothing listens at \(shown(domain))"
        case CURLE_COULDNT_CONNECT where failure.systemError == 0: return "nobody answers at \(shown(domain))"
        case CURLE_COULDNT_CONNECT:
            let words = String(cString: strerror(failure.systemError))
            return "\(shown(domain)) could not be asked: \(words)"
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            return "\(domain.domain) answers with something else than HTTP"
        default: return "\(domain.domain) could not be asked: \(failure.words)"
        }
    }

    private func problem(_ failure: Transfer.Failure, of domain: AssociatedDomain) -> String {
        guard !failure.isNameRefused else { return "it is made for another name" }
        // libcurl does not show the certificate that it has refused, so the server is asked for it once more. It only serves
        // to explain, and is not trusted.
        let validity = try? Transfer(to: place(of: domain), by: nil).validity(within: .seconds(2))
        if let end = validity?.end, end < now() { return "it has expired, at \(end.formatted(.iso8601))" }
        if let start = validity?.start, start > now() { return "it is not valid before \(start.formatted(.iso8601))" }
        return "it is not made by an authority that the public knows"
    }

    /// Says in messages where a domain is asked.
    private func shown(_ domain: AssociatedDomain) -> String {
        let port = rules.port.map { ":\($0)" } ?? ""
        return rules.addresses[domain.domain].map { "\(domain.domain), that is at \($0)\(port)" } ?? domain.domain
            + port
    }
}
