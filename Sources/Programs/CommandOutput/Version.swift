import CBuild

/// The version of all programs, which are built and installed together.
package enum Version {
    /// By the rules of [Semantic Versioning 2.0.0](https://semver.org). Packages and browsers' extensions have it too.
    package static let text = "0.1.0"

    /// The commit from which the package was built, in hexadecimal; nil for a program that came in no package.
    package static var commit: String? {
        let text = String(cString: lanyard_build_commit())
        return text.isEmpty ? nil : text
    }

    /// What `--version` prints: the version, and in a package the first twelve digits of the commit.
    package static var full: String {
        commit.map { "\(text) (commit \($0.prefix(12)))" } ?? text
    }
}
