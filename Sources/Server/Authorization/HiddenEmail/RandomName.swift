import Ground

/// Lower-case letters and digits: what an address can hold whatever program handles it.
enum RandomName {
    static func make(length: Int, from surroundings: Surroundings) -> String {
        surroundings.randomText(length, from: "abcdefghijklmnopqrstuvwxyz0123456789")
    }
}
