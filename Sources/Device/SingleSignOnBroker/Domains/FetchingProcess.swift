import Foundation
import NIOCore
import SingleSignOn

#if canImport(Glibc)
    import Glibc
#endif

/// Fetches the association file of a domain in a process that does nothing else.
///
/// There are two reasons. Data from strangers is parsed by a process that knows nothing of the broker's. And an idle
/// broker keeps neither the memory of TLS and the resolver, which is more than all its other memory, nor their threads,
/// which wake up without need.
public struct FetchingProcess: Sendable {
    /// The program and its first arguments. The associated domain is the last argument.
    private let command: [String]
    private let loop: any EventLoop

    /// Longer than the process's own limit in `run`.
    private static let timeLimit = TimeAmount.seconds(30)

    init(_ command: [String], on loop: any EventLoop) {
        self.command = command
        self.loop = loop
    }

    /// The JSON that the process writes to its standard output.
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

    /// To be called in the process: fetches the file, and writes the answer to standard output.
    /// - Throws: if standard output cannot be written to.
    public static func run(_ fetcher: AssociationFileFetcher, for domain: AssociatedDomain) async throws {
        // Ends the process after 20 seconds even if something blocks a thread, for example the resolver.
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
