/// The version of all programs, which are built and installed together.
package enum Version {
    package static let text = "0.1.0"
}
