import ArgumentParser
import PasswordSlips
import ServerHTTP

extension SlipLanguage: ExpressibleByArgument {}
extension SlipLayout.Paper: ExpressibleByArgument {}

extension Deployment {
    /// Where people sign in, as they are to type it.
    static func address(_ global: GlobalOptions) async throws -> String {
        let url: String
        if let server = try global.remote {
            url = server.text
        } else {
            url = try await withExisting(global) { _, settings in try await settings.server().baseURL }
        }
        return url.asTyped
    }
}
