import Directory
import ServerPages

/// A small chart: one bar a day. The sentence below it says what it shows to those who do not see it.
package struct Chart: Sendable {
    let label: Sentence
    let days: [(day: CalendarDay, number: Int)]

    /// - Parameters:
    ///   - label: what is counted.
    ///   - days: oldest first.
    package init(_ label: Sentence, _ days: [(day: CalendarDay, number: Int)]) {
        self.label = label
        self.days = days
    }

    private static let height = 48
    /// How wide a bar is, and how far the next one is from where it begins.
    private static let (width, step) = (8, 10)

    private var summary: Sentence {
        guard let most = days.max(by: { $0.number < $1.number }), most.number > 0 else {
            return Sentence("consoleChart.none", ["count": .count(days.count)])
        }
        return Sentence(
            "consoleChart.summary",
            [
                "total": .count(days.reduce(0) { $0 + $1.number }), "count": .count(days.count),
                "day": .day(most.day.date), "most": .count(most.number),
            ])
    }

    var content: Content {
        let most = max(days.map(\.number).max() ?? 0, 1)
        return [
            "chartLabel": .sentence(label), "chartText": .sentence(summary),
            "chartWidth": .text("\(max(days.count, 1) * Self.step)"), "chartHeight": .text("\(Self.height)"),
            "chartFirst": .sentence(ifAny: days.first.map { Sentence("consoleChart.day", ["day": .day($0.day.date)]) }),
            "chartLast": .sentence(ifAny: days.last.map { Sentence("consoleChart.day", ["day": .day($0.day.date)]) }),
            "bars": .list(
                days.enumerated().map { index, day in
                    // However little has happened on a day, its bar is higher than that of a day without anything.
                    let height = day.number == 0 ? 1 : max(3, day.number * Self.height / most)
                    return [
                        "barX": .text("\(index * Self.step)"), "barY": .text("\(Self.height - height)"),
                        "barWidth": .text("\(Self.width)"), "barHeight": .text("\(height)"),
                        "isNone": .flag(day.number == 0),
                        "barText": .sentence(
                            Sentence(
                                "consoleChart.bar", ["day": .day(day.day.date), "count": .count(day.number)])),
                    ]
                }),
        ]
    }
}
