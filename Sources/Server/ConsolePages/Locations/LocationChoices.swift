import Administration
import ServerPages

/// The locations of an organization, of which a form lets one choose. Where they are too many for a list, the name is
/// typed, so that the page stays light.
package struct LocationChoices: Sendable {
    /// How many locations a list has at most.
    package static let listedMax = 100

    let listed: [LocationRecord]
    /// Whether the list has all of them.
    let isWhole: Bool

    /// For people who have nothing to choose.
    package static let none = LocationChoices([])

    /// - Parameter found: all locations, or one more than a list has.
    package init(_ found: [LocationRecord]) {
        listed = Array(found.prefix(Self.listedMax))
        isWhole = found.count <= Self.listedMax
    }

    var isEmpty: Bool { listed.isEmpty }
    /// Whether there is anything to tell apart.
    var areSeveral: Bool { listed.count > 1 }

    /// - Parameters:
    ///   - nowhere: says what it means that no location is chosen.
    ///   - value: `LO:` and the number of a location, or what was typed.
    func field(
        _ name: String, _ label: Sentence, nowhere: Sentence, value: String = "", hint: Sentence? = nil
    ) -> ConsoleField {
        guard isWhole else {
            return ConsoleField(name, .verbatim, label, value: value, hint: Sentence("console.locationTyped"))
        }
        // An archived location, or a name that was not found, is added to the choices: otherwise it would be lost with
        // the next press of the button.
        let isListed = value.isEmpty || listed.contains { $0.id == value }
        let options = listed.map { ConsoleField.Option($0.id, .named($0.name)) }
        return ConsoleField(
            name, .choice([.init("", nowhere)] + options + (isListed ? [] : [.init(value, .named(value))])), label,
            value: value, hint: hint)
    }
}
