import Foundation
import Logging
import SingleSignOnWire

/// What became of the last requests, with reasons and without secrets: neither query nor headers nor answers are kept.
struct RequestLog {
    static let entriesMax = 1_000

    private(set) var entries: [BrokerLogEntry] = []
    private var listeners: [UInt64: (BrokerLogEntry) -> Void] = [:]
    private var lastListener: UInt64 = 0

    mutating func append(_ entry: BrokerLogEntry, to logger: Logger) {
        if entries.count >= Self.entriesMax { entries.removeFirst(Self.entriesMax / 4) }
        entries.append(entry)
        // What nothing covers is all the rest of the web.
        guard entry.reason != .notCovered else { return }
        var metadata: Logger.Metadata = [
            "url": "\(entry.url)", "caller": "\(entry.caller.printable)", "outcome": "\(entry.outcome.rawValue)",
            "reason": "\(entry.reason.rawValue)", "ms": "\(entry.milliseconds)",
        ]
        if !entry.operation.isEmpty { metadata["operation"] = "\(entry.operation.printable)" }
        metadata["extension"] = entry.extension.map { "\($0)" }
        metadata["detail"] = entry.detail.map { "\($0.printable)" }
        logger.log(level: Self.level(of: entry.reason), "request", metadata: metadata)
        for listener in listeners.values { listener(entry) }
    }

    /// What its author or the administrator has to mend stands out.
    private static func level(of reason: BrokerReason) -> Logger.Level {
        switch reason {
        case .wrongCompletion, .unusableResponse, .extensionCrashed, .extensionFailedToStart, .timedOut: .error
        case .domainNotApproved, .extensionMissing, .extensionBackedOff, .tooManyRequests, .extensionFailed: .warning
        default: .info
        }
    }

    mutating func listen(_ listener: @escaping (BrokerLogEntry) -> Void) -> UInt64 {
        lastListener += 1
        listeners[lastListener] = listener
        return lastListener
    }

    mutating func forget(_ listener: UInt64) { listeners[listener] = nil }
}

extension String {
    /// Without what would move a terminal's cursor, and no longer than a line.
    var printable: String {
        String(
            String.UnicodeScalarView(
                prefix(500).unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    /// A URL without query, fragment and user-info, which may hold secrets.
    var withoutSecrets: String {
        var text = prefix { $0 != "?" && $0 != "#" }
        if let scheme = text.range(of: "://") {
            let end = text[scheme.upperBound...].firstIndex(of: "/") ?? text.endIndex
            if let at = text[scheme.upperBound..<end].lastIndex(of: "@") {
                text.removeSubrange(scheme.upperBound...at)
            }
        }
        return String(text.prefix(300)).printable
    }
}
