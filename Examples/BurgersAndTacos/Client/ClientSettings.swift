import ArgumentParser
import Foundation

/// Which provider to ask, and as whom: from the configuration that the organization puts beside the app on its devices,
/// so that nobody has to type it.
struct ClientSettings: ParsableArguments {
    @Option(
        help: "The organization's file for this app; BURGERS_CONFIGURATION can name it too.", completion: .file())
    var configuration = ProcessInfo.processInfo.environment["BURGERS_CONFIGURATION"] ?? "/etc/burgers-and-tacos.json"

    struct Configuration: Decodable {
        let identityProvider: URL
        let clientID: String
        let site: URL
    }

    func read() throws -> Configuration {
        guard let data = FileManager.default.contents(atPath: configuration) else {
            throw ValidationError("There is no \(configuration). Name the organization's file with --configuration.")
        }
        guard let read = try? JSONDecoder().decode(Configuration.self, from: data) else {
            throw ValidationError(
                "\(configuration) is no configuration. Write the URLs identityProvider and site, and clientID, as JSON."
            )
        }
        return read
    }
}
