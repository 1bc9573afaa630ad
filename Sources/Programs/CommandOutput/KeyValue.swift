import ArgumentParser

/// An argument of the form `key=value`, such as that of `--data`. The value may be empty, the key may not.
package struct KeyValue: ExpressibleByArgument, Sendable {
    package let key: String
    package let value: String

    package init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        key = String(argument[..<sign])
        value = String(argument[argument.index(after: sign)...])
    }
}

extension [KeyValue] {
    /// If a key occurs several times, its last value is taken.
    package var dictionary: [String: String] { Dictionary(map { ($0.key, $0.value) }) { $1 } }
}
