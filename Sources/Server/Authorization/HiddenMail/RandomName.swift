import Ground

/// A random name for an address, of lower-case letters and digits, which every mail program can handle.
package enum RandomName {
    package static func make(length: Int, from surroundings: Surroundings) -> String {
        surroundings.randomText(length, from: "abcdefghijklmnopqrstuvwxyz0123456789")
    }
}
