import AsyncHTTPClient
import Crypto
import Foundation
import Ground
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SingleSignOn

/// Why there is no association file.
public enum AssociationFileFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The domain has answered, and the answer is no agreement.
    case denied(String)
    /// The domain could not be asked, or did not prove that the answer is its own.
    case unreachable(String)

    public var description: String {
        switch self {
        case .denied(let reason), .unreachable(let reason): reason
        }
    }
}

/// Gets the association file of a domain over HTTPS: only from the domain itself, only with public certificate
/// authorities, and without following redirections. docs/specifications/extensible-single-sign-on.md, 9.3 to 9.5.
///
/// Runs in a process of its own, see ``FetchingProcess``.
public struct AssociationFileFetcher: Sendable {
    /// Exceptions from the rules for authors and tests of extensions. Each is logged as a warning.
    public struct Exceptions: Sendable {
        /// Certificate authorities, in PEM, that count besides the public ones.
        public var extraRoots: Data?
        /// Whether the certificate is not checked for entries with `?mode=developer`.
        public var heedsDeveloperMode = false
        /// The name or address to connect to in place of a domain, by domain.
        public var addresses: [String: String] = [:]
        /// The port at which domains are asked; nil means 443.
        public var port: Int?

        public init() {}
    }

    static let timeLimit = Duration.seconds(10)

    private let exceptions: Exceptions
    private let extraRoots: [NIOSSLCertificate]
    private let places: [PublicRoots.Place]
    /// Where a proxy may be named.
    private let environment: [String: String]
    private let timeLimit: Duration
    private let now: @Sendable () -> Date
    private let logger: Logger

    /// - Throws: if the extra roots are not valid PEM.
    public init(exceptions: Exceptions = Exceptions(), logger: Logger) throws {
        try self.init(
            exceptions: exceptions, places: PublicRoots.places, environment: ProcessInfo.processInfo.environment,
            timeLimit: Self.timeLimit, now: Surroundings.system.now, logger: logger)
    }

    init(
        exceptions: Exceptions, places: [PublicRoots.Place], environment: [String: String] = [:], timeLimit: Duration,
        now: @escaping @Sendable () -> Date, logger: Logger
    ) throws {
        self.exceptions = exceptions
        extraRoots = try exceptions.extraRoots.map { try NIOSSLCertificate.fromPEMBytes(Array($0)) } ?? []
        self.places = places
        self.environment = environment
        self.timeLimit = timeLimit
        self.now = now
        self.logger = logger
    }

    /// Logs a warning for each exception that is in use, and for each file that should take away an authority and does not.
    func logExceptions() {
        for file in (try? PublicRoots(from: places))?.unreadBlocklists ?? [] {
            logger.warning(
                "No certificate was found in a file that names authorities that are not trusted, so it takes none away.",
                metadata: ["file": "\(file)"])
        }
        if !extraRoots.isEmpty {
            logger.warning("Domains may prove themselves with an authority that is not public: for tests only.")
        }
        if exceptions.heedsDeveloperMode {
            logger.warning("Domains in developer mode are believed without a certificate: for tests only.")
        }
        if exceptions.port != nil || !exceptions.addresses.isEmpty {
            logger.warning("Domains are asked at other places than their own: for tests only.")
        }
    }

    /// Names the rules by which files are fetched. Records that were made under other rules do not count.
    var rules: String {
        guard
            !extraRoots.isEmpty || exceptions.heedsDeveloperMode || exceptions.port != nil
                || !exceptions.addresses.isEmpty
        else { return "public" }
        var parts = ["with exceptions"]
        if let roots = exceptions.extraRoots {
            parts.append("roots \(Array(SHA256.hash(data: roots)).hexadecimal)")
        }
        if exceptions.heedsDeveloperMode { parts.append("developer mode") }
        if let port = exceptions.port { parts.append("port \(port)") }
        parts += exceptions.addresses.sorted { $0.key < $1.key }.map { "\($0.key) at \($0.value)" }
        return parts.joined(separator: ", ")
    }

    /// Fetches the file. Takes at most about ten seconds, whatever the domain does.
    public func fetch(_ domain: AssociatedDomain) async -> Result<AssociationFile, AssociationFileFailure> {
        let client: HTTPClient
        let proxy: HTTPSProxy?
        do {
            // A proxy does not know where an exception has a domain.
            proxy =
                exceptions.addresses[domain.domain] == nil
                ? try HTTPSProxy.proxy(for: domain.domain, in: environment) : nil
            client = HTTPClient(
                eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
                configuration: try configuration(for: domain, by: proxy))
        } catch {
            return .failure(.unreachable("\(error)"))
        }
        let answer = await withTaskGroup { group in
            group.addTask { await ask(domain, by: proxy, with: client) }
            group.addTask {
                try? await Task.sleep(for: timeLimit)
                return .failure(
                    .unreachable("\(domain.domain) did not answer within \(timeLimit)"))
            }
            defer { group.cancelAll() }
            return await group.next()!
        }
        try? await client.shutdown()
        return answer
    }

    private func configuration(
        for domain: AssociatedDomain, by proxy: HTTPSProxy?
    ) throws -> HTTPClient.Configuration {
        let roots = try PublicRoots(from: places)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        // The answer is complete by then, so a server that does not close TLS properly is not waited for.
        tls.shutdownTimeout = .milliseconds(100)
        if exceptions.heedsDeveloperMode, domain.mode?.isDeveloper == true {
            tls.certificateVerification = .none
            logger.warning(
                "The file of a domain is fetched without a look at its certificate.", metadata: ["domain": "\(domain)"])
        } else {
            tls.trustRoots = .certificates(roots.certificates + extraRoots)
        }
        // The time limit of the whole fetch also ends connecting. This one is longer, so that the reason given is the
        // same.
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(timeLimit) + .seconds(1)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = exceptions.addresses
        configuration.proxy = proxy.map { proxy in
            .server(
                host: proxy.host, port: proxy.port,
                authorization: proxy.account.map { .basic(username: $0.name, password: $0.password) })
        }
        return configuration
    }

    private func ask(
        _ domain: AssociatedDomain, by proxy: HTTPSProxy?, with client: HTTPClient
    ) async -> Result<AssociationFile, AssociationFileFailure> {
        var request = HTTPClientRequest(url: domain.associationFileURL(port: exceptions.port))
        request.headers = ["Accept": "application/json", "User-Agent": "Lanyard"]
        do {
            let response = try await client.execute(request, deadline: .distantFuture)
            if let failure = Self.failure(of: response.status, at: domain) { return .failure(failure) }
            var bytes = Data()
            for try await part in response.body {
                bytes.append(contentsOf: part.readableBytesView)
                guard bytes.count <= AssociationFile.bytesMax else { break }
            }
            return .success(try AssociationFile(bytes))
        } catch let problem as AssociationFile.Problem {
            return .failure(.denied("\(domain.domain): \(problem)"))
        } catch {
            if let proxy { return .failure(.unreachable(reason(error, at: domain, by: proxy))) }
            return .failure(.unreachable(await reason(error, at: domain)))
        }
    }

    /// - Returns: nil for 200, the only status whose body is read.
    static func failure(
        of status: HTTPResponseStatus, at domain: AssociatedDomain
    ) -> AssociationFileFailure? {
        switch status.code {
        case 200: nil
        case 300..<400:
            .denied("\(domain.domain) answers with a redirection (\(status.code)) instead of the association file")
        // The server exists and asks to be tried later, which is not a refusal.
        case 408, 425, 429, 500...: .unreachable("\(domain.domain) answers with \(status.code)")
        case 404, 410: .denied("\(domain.domain) has no association file (\(status.code))")
        default: .denied("\(domain.domain) answers with \(status.code) instead of the association file")
        }
    }

    /// Says in messages where a domain is asked.
    private func place(of domain: AssociatedDomain) -> String {
        let address = exceptions.addresses[domain.domain]
        let port = exceptions.port.map { ":\($0)" } ?? ""
        return address.map { "\(domain.domain), that is at \($0)\(port)" } ?? domain.domain + port
    }

    /// Names the proxy too: nobody can tell whether an error is its or the domain's.
    private func reason(_ error: any Error, at domain: AssociatedDomain, by proxy: HTTPSProxy) -> String {
        switch error {
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            """
            by \(proxy) \(domain.domain) shows no certificate of an authority that the public knows; a proxy that looks \
            into traffic has to leave this domain out
            """
        case let error as HTTPClientError where error == .proxyAuthenticationRequired:
            "\(proxy) wants to know who asks; write the name and password into its address"
        case let error as HTTPClientError where error == .invalidProxyResponse:
            "\(proxy) does not let anybody ask \(place(of: domain))"
        case is NIOConnectionError: "\(proxy) is not there"
        case let error as IOError where error.errnoCode == ECONNREFUSED: "\(proxy) is not there: nothing listens"
        default: "\(domain.domain) could not be asked by \(proxy): \(error)"
        }
    }

    private func reason(_ error: any Error, at domain: AssociatedDomain) async -> String {
        switch error {
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            await TLSProblem(
                error, host: domain.domain, address: exceptions.addresses[domain.domain] ?? domain.domain,
                port: exceptions.port ?? 443, at: now()
            ).description
        case let error as NIOConnectionError where error.dnsAError != nil || error.dnsAAAAError != nil:
            "\(domain.domain) is not known to DNS"
        case is NIOConnectionError: "nobody answers at \(place(of: domain))"
        case let error as IOError where error.errnoCode == ECONNREFUSED: "nothing listens at \(place(of: domain))"
        case let error as IOError:
            "\(place(of: domain)) could not be asked: \(String(cString: strerror(error.errnoCode)))"
        case let error as HTTPClientError: "\(domain.domain) could not be asked: \(error.shortDescription)"
        case is HTTPParserError: "\(domain.domain) answers with something else than HTTP"
        default: "\(domain.domain) could not be asked: \(error)"
        }
    }
}

extension AssociatedDomain.Mode {
    var isDeveloper: Bool { self == .developer || self == .developerAndManaged }
}
