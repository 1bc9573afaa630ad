import CommandOutput
import Foundation
import Storage

/// What the server would use if nothing was answered, from the settings file or from the environment. The environment wins over what setup
/// writes, so where it has a value, no other answer can be.
struct SetupPresets {
    struct Preset: Equatable {
        let value: String
        /// The settings file, or a variable of the environment.
        let source: String
        /// Whether another answer would come to nothing.
        let isDecided: Bool
    }

    var address: Preset?
    /// The address of a mail server.
    var mailServer: Preset?
    /// The folder into which mail goes in place of a server.
    var mailFolder: Preset?
    var sender: Preset?
    /// Without a password.
    var database: Preset?
}

extension SetupPresets {
    init(_ settings: Settings) {
        func preset(_ key: String) -> Preset? {
            let variable = settings.variable(for: key)
            return settings.text(key).map {
                Preset(value: $0, source: variable ?? settings.filePath, isDecided: variable != nil)
            }
        }
        self.init(
            address: preset("baseURL"), mailServer: preset("mail.smtp.url"), mailFolder: preset("mail.maildir"),
            sender: preset("mail.from"), database: preset("database")?.withoutPassword)
    }
}

extension SetupPresets.Preset {
    /// Says what it is so far, and from where.
    var text: String {
        "So far: \(value), from \(source)\(isDecided ? " in the environment, which wins over what is written here" : "")."
    }

    /// - Throws: ``Failure`` if the environment says otherwise than an answer.
    func check(_ answer: String) throws {
        guard !isDecided || answer == value else { throw refusal }
    }

    var refusal: Failure {
        Failure("\(source) in the environment says otherwise, and wins. Take it away there first, or answer the same.")
    }

    fileprivate var withoutPassword: Self {
        guard namesServer(value) else { return self }
        var parts = URLComponents(string: value)
        parts?.password = nil
        // Parameters can have secrets too.
        parts?.query = nil
        return Self(value: parts?.string ?? "a server of PostgreSQL", source: source, isDecided: isDecided)
    }
}
