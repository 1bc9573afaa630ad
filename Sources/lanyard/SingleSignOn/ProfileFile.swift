import Foundation
import SingleSignOn

/// A profile in a file that was named on the command line.
enum ProfileFile {
    /// - Throws: ``Failure`` if it cannot be opened.
    static func read(_ path: String, beside installed: [Profile] = []) throws -> ProfileReading {
        guard let data = FileManager.default.contents(atPath: path) else { throw Failure("\(path) cannot be read.") }
        return ProfileReading(data, beside: installed)
    }

    /// Profiles that have no errors, each beside those before it.
    static func readAll(_ paths: [String]) throws -> [Profile] {
        try paths.reduce(into: []) { profiles, path in
            let reading = try read(path, beside: profiles)
            guard let profile = reading.profile else {
                throw Failure("\(path) has errors:\n" + reading.errors.map { "  \($0)" }.joined(separator: "\n"))
            }
            profiles.append(profile)
        }
    }
}
