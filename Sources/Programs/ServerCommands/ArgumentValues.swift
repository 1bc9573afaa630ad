import Administration
import ArgumentParser
import Authorization
import Directory
import Foundation

// The spelling of enumerations on the command line. Help and completions list all values.

/// Values that are written with underscores in the database and in JSON, but with hyphens on the command line.
protocol HyphenatedArgument: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension HyphenatedArgument {
    package init?(argument: String) { self.init(rawValue: argument.replacingOccurrences(of: "-", with: "_")) }
    package static var allValueStrings: [String] { allCases.map(\.defaultValueDescription) }
    /// Empty, because the values explain themselves.
    package static var allValueDescriptions: [String: String] { [:] }
    package var defaultValueDescription: String { rawValue.replacingOccurrences(of: "_", with: "-") }
}

extension Role: HyphenatedArgument {}

extension Person.State: ExpressibleByArgument {}

extension Organization.Colour: ExpressibleByArgument {}

extension FactorRule.Holder: HyphenatedArgument {}

extension KerberosRealm.Matching: HyphenatedArgument {}

extension PasswordPolicy: ExpressibleByArgument {}

extension AccessRule.Mode: HyphenatedArgument {}

extension AccessRule.Purpose: HyphenatedArgument {}

extension LocalizedName: ExpressibleByArgument {
    package init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.languages.contains(String(parts[0])) else { return nil }
        self.init(language: String(parts[0]), name: String(parts[1]))
    }
}

extension Scope: ExpressibleByArgument {
    package init?(argument: String) {
        guard let scope = Self.registrable.first(where: { $0.rawValue == argument }) else { return nil }
        self = scope
    }
    package static var allValueStrings: [String] { registrable.map(\.rawValue) }
}

extension SigningAlgorithm: ExpressibleByArgument {}
