import Ground

/// Lower-case letters and digits: what an address can hold whatever program handles it.
package enum RandomName {
    package static func make(length: Int, from surroundings: Surroundings) -> String {
        surroundings.randomText(length, from: "abcdefghijklmnopqrstuvwxyz0123456789")
    }
}
