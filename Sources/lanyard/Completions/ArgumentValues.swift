import ArgumentParser
import Authorization
import Directory
import Foundation

// How enumerations are written on the command line. Help and completions list all their words.

extension Role: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument.replacingOccurrences(of: "-", with: "_")) }
    package static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }
    package var defaultValueDescription: String { rawValue.replacingOccurrences(of: "_", with: "-") }
}

extension Person.State: ExpressibleByArgument {}

extension PasswordPolicy: ExpressibleByArgument {}

extension AccessRule.Mode: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument.replacingOccurrences(of: "-", with: "_")) }
    package static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }
    package var defaultValueDescription: String { rawValue.replacingOccurrences(of: "_", with: "-") }
}

extension AccessRule.Purpose: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument.replacingOccurrences(of: "-", with: "_")) }
    package static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }
    package var defaultValueDescription: String { rawValue.replacingOccurrences(of: "_", with: "-") }
}

extension Scope: ExpressibleByArgument {
    package init?(argument: String) {
        guard let scope = Self.registrable.first(where: { $0.rawValue == argument }) else { return nil }
        self = scope
    }
    package static var allValueStrings: [String] { registrable.map(\.rawValue) }
}
