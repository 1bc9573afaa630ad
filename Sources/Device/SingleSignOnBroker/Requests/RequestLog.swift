import Ground
import Logging
import NIOCore
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The outcomes of the last requests, with reasons. Secrets are left out: queries, headers and answers are not kept.
struct RequestLog {
    /// Entries for URLs that nothing covers are kept apart. There are many of them, and they must not push out the
    /// others.
    private var covered = Kept(max: 1_000)
    private var uncovered = Kept(max: 250)
    private var count: UInt64 = 0
    /// Limits the lines in the log of this process, because callers can ask as often as they like.
    private var allowance: Allowance

    private struct Kept {
        let max: Int
        var entries: [(number: UInt64, entry: BrokerLogEntry)] = []

        mutating func append(_ entry: BrokerLogEntry, number: UInt64) {
            // Removes a quarter at once, because each removal moves all that remain.
            if entries.count >= max { entries.removeFirst(max / 4) }
            entries.append((number, entry))
        }
    }

    init(at time: NIODeadline = .now()) { allowance = Allowance(perSecond: 20, at: time) }

    /// All entries, the newest last.
    var entries: [BrokerLogEntry] {
        (covered.entries + uncovered.entries).sorted { $0.number < $1.number }.map(\.entry)
    }

    mutating func append(_ entry: BrokerLogEntry, to logger: Logger, at time: NIODeadline = .now()) {
        count += 1
        guard entry.reason != .notCovered else { return uncovered.append(entry, number: count) }
        covered.append(entry, number: count)
        guard let leftOut = allowance.take(at: time) else { return }
        Self.write(entry, to: logger, leftOut: leftOut)
    }

    /// - Parameter leftOut: how many lines were left out before this one.
    private static func write(_ entry: BrokerLogEntry, to logger: Logger, leftOut: Int) {
        var metadata: Logger.Metadata = [
            "url": "\(entry.url)", "outcome": "\(entry.outcome.rawValue)", "reason": "\(entry.reason.rawValue)",
            "ms": "\(entry.milliseconds)",
        ]
        metadata["caller"] = entry.caller.map { "\($0)" }
        metadata["operation"] = entry.operation.map { "\($0)" }
        metadata["extension"] = entry.extension.map { "\($0)" }
        metadata["detail"] = entry.detail.map { "\($0)" }
        if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
        logger.log(level: level(of: entry.reason), "request", metadata: metadata)
    }

    /// Errors are for the extension's author to mend, warnings for the administrator.
    private static func level(of reason: BrokerReason) -> Logger.Level {
        switch reason {
        case .wrongCompletion, .unusableResponse, .extensionCrashed, .extensionFailedToStart, .timedOut: .error
        case .domainNotApproved, .extensionMissing, .extensionBackedOff, .tooManyRequests, .extensionFailed: .warning
        default: .info
        }
    }
}

extension BrokerLogEntry {
    /// Makes an entry. Texts that others have chosen are cut and freed of control characters, so that they can be shown
    /// in a terminal.
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
    /// Nil if it is empty.
    fileprivate var notEmpty: String? { isEmpty ? nil : self }

    /// The text in one line of at most 500 Unicode scalars, without control characters.
    var inShortLine: String { inOneLine(scalarsMax: 500) }

    /// The URL without query, fragment and user-info, which may hold secrets.
    ///
    /// Browsers also accept URLs with backslashes, without slashes, and with line ends and tabs in them. The secrets of
    /// these are found as well.
    var withoutSecrets: String {
        // Scalars are compared and not characters: `?` and a combining accent are one character, which is not `?`.
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
