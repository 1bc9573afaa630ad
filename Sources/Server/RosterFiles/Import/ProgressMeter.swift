/// The progress of an import.
package struct ImportProgress: Equatable, Sendable {
    package enum Phase: String, Codable, CaseIterable, Sendable {
        case reading
        case checking
        case comparing
        case applying
    }

    package let phase: Phase
    /// The part of the phase that is done, from 0 to 1.
    package let fraction: Double
}

extension ImportProgress {
    /// The number of steps of an import, a hundred in each phase.
    package static let stepsMax = 100 * Phase.allCases.count

    /// How many steps are done.
    package var step: Int { 100 * phase.order + Int(fraction * 100) }

    /// - Parameter step: from 0 to ``stepsMax``; what is outside is taken as the nearest of them.
    package init(step: Int) {
        let step = min(max(step, 0), Self.stepsMax - 1)
        phase = Phase.allCases[step / 100]
        fraction = Double(step % 100) / 100
    }
}

extension ImportProgress.Phase {
    fileprivate var order: Int { Self.allCases.firstIndex(of: self)! }  // all cases hold each case
}

/// Reports progress in steps of one hundredth of a phase. A step that is repeated is not reported again.
final class ProgressMeter {
    private let handler: @Sendable (ImportProgress) -> Void
    private var last: (phase: ImportProgress.Phase, percent: Int)?

    init(_ handler: @escaping @Sendable (ImportProgress) -> Void) { self.handler = handler }

    func report(_ phase: ImportProgress.Phase, _ fraction: Double) {
        let percent = min(100, Int(fraction * 100))
        if let last, (phase.order, percent) <= (last.phase.order, last.percent) { return }
        last = (phase, percent)
        handler(ImportProgress(phase: phase, fraction: Double(percent) / 100))
    }

    /// Runs steps one after the other and reports after each.
    func run(_ phase: ImportProgress.Phase, _ steps: [() throws -> Void]) throws {
        report(phase, 0)
        for (index, step) in steps.enumerated() {
            try step()
            report(phase, Double(index + 1) / Double(steps.count))
        }
    }
}
