import Foundation
import Ground
import Logging
import SingleSignOnWire

/// What became of the last requests, with reasons and without secrets: neither query nor headers nor answers are kept.
struct RequestLog {
    /// What nothing covers is all the rest of the web: it must not push out the rest.
    private var covered = Kept(max: 1_000)
    private var uncovered = Kept(max: 250)
    private var count: UInt64 = 0
    /// Of lines for the log of this process: somebody may ask as fast as he can.
    private var allowance = Allowance(perSecond: 20)

    private struct Kept {
        let max: Int
        var entries: [(number: UInt64, entry: BrokerLogEntry)] = []

        mutating func append(_ entry: BrokerLogEntry, number: UInt64) {
            // A part at a time, because each time moves all of them.
            if entries.count >= max { entries.removeFirst(max / 4) }
            entries.append((number, entry))
        }
    }

    /// The newest last.
    var entries: [BrokerLogEntry] {
        (covered.entries + uncovered.entries).sorted { $0.number < $1.number }.map(\.entry)
    }

    mutating func append(_ entry: BrokerLogEntry, to logger: Logger) {
        count += 1
        guard entry.reason != .notCovered else { return uncovered.append(entry, number: count) }
        covered.append(entry, number: count)
        write(entry, to: logger)
    }

    private mutating func write(_ entry: BrokerLogEntry, to logger: Logger) {
        guard let leftOut = allowance.take() else { return }
        var metadata: Logger.Metadata = [
            "url": "\(entry.url)", "outcome": "\(entry.outcome.rawValue)", "reason": "\(entry.reason.rawValue)",
            "ms": "\(entry.milliseconds)",
        ]
        metadata["caller"] = entry.caller.map { "\($0)" }
        metadata["operation"] = entry.operation.map { "\($0)" }
        metadata["extension"] = entry.extension.map { "\($0)" }
        metadata["detail"] = entry.detail.map { "\($0)" }
        if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
        logger.log(level: Self.level(of: entry.reason), "request", metadata: metadata)
    }

    /// What its author or the administrator has to mend stands out.
    private static func level(of reason: BrokerReason) -> Logger.Level {
        switch reason {
        case .wrongCompletion, .unusableResponse, .extensionCrashed, .extensionFailedToStart, .timedOut: .error
        case .domainNotApproved, .extensionMissing, .extensionBackedOff, .tooManyRequests, .extensionFailed: .warning
        default: .info
        }
    }
}

extension BrokerLogEntry {
    /// Texts of others are made fit for a terminal here, for all who read them later.
    init(
        _ request: BrokerRequest, caller: String?, _ outcome: BrokerOutcome, detail: String?, at time: Date,
        milliseconds: Int
    ) {
        self.init(
            time: time, url: request.url.withoutSecrets, operation: request.operation?.inShortLine.notEmpty,
            caller: caller?.inShortLine.notEmpty, extension: outcome.extension?.inShortLine, outcome: outcome.outcome,
            reason: outcome.reason, detail: detail?.inShortLine, milliseconds: milliseconds)
    }
}

extension String {
    /// Nil in place of nothing.
    fileprivate var notEmpty: String? { isEmpty ? nil : self }

    /// As what others have said stands in a log.
    var inShortLine: String { inOneLine(scalarsMax: 500) }

    /// A URL without query, fragment and user-info, which may hold secrets; also one that is written as browsers alone
    /// read it, with backslashes, without slashes, or with line ends and tabs somewhere.
    var withoutSecrets: String {
        // A character would be another one with an accent behind it.
        var text = UnicodeScalarView(
            unicodeScalars.prefix { $0 != "?" && $0 != "#" }.filter { !["\t", "\n", "\r"].contains($0) })
        if let colon = text.firstIndex(of: ":") {
            let isSlash = { (scalar: Unicode.Scalar) in scalar == "/" || scalar == "\\" }
            let start = text[text.index(after: colon)...].firstIndex { !isSlash($0) } ?? text.endIndex
            let end = text[start...].firstIndex(where: isSlash) ?? text.endIndex
            if let at = text[start..<end].lastIndex(of: "@") { text.removeSubrange(start...at) }
        }
        return String(UnicodeScalarView(text.prefix(300))).inShortLine
    }
}
