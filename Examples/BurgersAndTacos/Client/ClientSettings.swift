import ArgumentParser
import Foundation

/// The identity provider and the client id. They come from a configuration file that the organization installs with the
/// app on its devices, so that people do not have to type them.
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
