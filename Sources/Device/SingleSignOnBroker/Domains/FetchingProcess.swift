import Logging
import NIOCore
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

/// Fetches the association file of a domain in a process that does nothing else.
///
/// There are two reasons. Data from strangers is parsed by a process that knows nothing of the broker's. And an idle
/// broker keeps neither the memory of TLS and the resolver, which is more than all its other memory, nor their threads,
/// which wake up without need.
struct FetchingProcess: Sendable {
    /// The program and its first arguments. The associated domain is the last argument.
    private let command: [String]
    /// The rules that the command names too.
    private let rules: AssociationRules
    private let loop: any EventLoop
    private let logger: Logger

    /// Longer than the process's own limit.
    private static let timeLimit = TimeAmount.seconds(30)

    init(_ command: [String], rules: AssociationRules, on loop: any EventLoop, logger: Logger) {
        self.command = command
        self.rules = rules
        self.loop = loop
        self.logger = logger
    }

    func fetch(_ domain: AssociatedDomain) async -> Result<AssociationFile, AssociationFileFailure> {
        if rules.isBelieved(domain) {
            logger.warning(
                "The file of a domain is fetched without a look at its certificate.", metadata: ["domain": "\(domain)"])
        }
        do {
            let bytes = try await ChildProgram.output(
                of: command + [domain.description], on: loop, within: Self.timeLimit)
            return try JSONDecoder().decode(AssociationAnswer.self, from: bytes).result
        } catch let error as ChildProgram.CannotSpawn {
            let reason = String(cString: strerror(error.number))
            return .failure(
                .unreachable("\(domain.domain) could not be asked: no process for it can be started: \(reason)"))
        } catch {
            return .failure(
                .unreachable("\(domain.domain) could not be asked: the process for it ended without an answer"))
        }
    }
}
