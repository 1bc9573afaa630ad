import Administration
import CommandOutput
import Ground

extension DeviceRecord {
    static let head = ["ID", "NAME", "USER NAME", "REGISTERED (UTC)", "USED (UTC)", "FACTS"]

    var row: [String] {
        [id, name, userName, registeredAt.minuteText, usedAt?.minuteText ?? "–", factsText]
    }

    var text: String {
        Table.fields([
            ("Name", name), ("Id", id), ("Person", "\(fullName) (\(userName))"), ("Key", thumbprint),
            ("Registered", "\(registeredAt.minuteText) UTC"), ("Used", usedAt.map { "\($0.minuteText) UTC" }),
            ("Facts", facts.isEmpty ? nil : factsText),
        ])
    }

    /// The facts in one line, with control characters escaped.
    private var factsText: String {
        facts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ").printable()
    }
}
