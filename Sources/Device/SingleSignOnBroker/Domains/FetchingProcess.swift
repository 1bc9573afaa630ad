import Foundation
import NIOCore
import SingleSignOn

#if canImport(Glibc)
    import Glibc
#endif

/// Has a domain's association file fetched by a process that does nothing else.
///
/// What strangers send is read apart from all that the broker knows and may do; and TLS and the resolver, which take more
/// memory than the rest of the broker, and threads that wake up without need, do not stay with a broker that is idle.
public struct FetchingProcess: Sendable {
    /// The program and its first arguments; the domain's entry is added.
    private let command: [String]
    private let loop: any EventLoop

    /// The process ends by itself before that.
    private static let timeLimit = TimeAmount.seconds(30)

    init(_ command: [String], on loop: any EventLoop) {
        self.command = command
        self.loop = loop
    }

    /// What goes over the pipe.
    private enum Answer: Codable {
        case apps(Set<String>)
        case denied(String)
        case unreachable(String)
    }

    func fetch(_ domain: AssociatedDomain) async -> Result<AssociationFile, AssociationFileFailure> {
        do {
            let bytes = try await ChildProgram.output(
                of: command + [domain.description], on: loop, within: Self.timeLimit)
            switch try JSONDecoder().decode(Answer.self, from: bytes) {
            case .apps(let apps): return .success(AssociationFile(apps: apps))
            case .denied(let reason): return .failure(.denied(reason))
            case .unreachable(let reason): return .failure(.unreachable(reason))
            }
        } catch let error as ChildProgram.CannotSpawn {
            let reason = String(cString: strerror(error.number))
            return .failure(
                .unreachable("\(domain.domain) could not be asked: no process for it can be started: \(reason)"))
        } catch {
            return .failure(
                .unreachable("\(domain.domain) could not be asked: the process for it ended without an answer"))
        }
    }

    /// What the process does: asks, and writes the answer to standard output.
    public static func run(_ fetcher: AssociationFileFetcher, for domain: AssociatedDomain) async throws {
        // Whatever holds it up, also a resolver that does not come back.
        alarm(20)
        let answer: Answer =
            switch await fetcher.fetch(domain) {
            case .success(let file): .apps(file.apps)
            case .failure(.denied(let reason)): .denied(reason)
            case .failure(.unreachable(let reason)): .unreachable(reason)
            }
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(answer))
    }
}
