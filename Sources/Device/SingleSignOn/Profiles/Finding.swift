/// A finding about a profile: where, what is wrong, and what to write instead.
public struct Finding: Equatable, Sendable, CustomStringConvertible {
    public enum Severity: String, Comparable, Sendable {
        /// The profile cannot be installed.
        case error
        /// The profile can be installed, but may not do what it seems to.
        case warning
        case information

        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .error: 0
            case .warning: 1
            case .information: 2
            }
        }
    }

    public let severity: Severity
    /// The place, such as `PayloadContent[0].URLs[2]`; empty for the whole file.
    public let keyPath: String
    public let problem: String
    /// What to write instead; nil if there is nothing to do.
    public let remedy: String?

    public init(_ severity: Severity, at keyPath: String, _ problem: String, remedy: String? = nil) {
        self.severity = severity
        self.keyPath = keyPath.shortened
        self.problem = problem.shortened
        self.remedy = remedy?.shortened
    }

    public var description: String {
        let place = keyPath.isEmpty ? "" : " \(keyPath):"
        return "\(severity.rawValue):\(place) \(problem)" + (remedy.map { " \($0)" } ?? "")
    }
}

extension String {
    /// Findings quote text of the profile, which can have megabytes.
    fileprivate var shortened: String {
        utf8.count <= 1000 ? self : String(decoding: utf8.prefix(1000), as: UTF8.self) + "…"
    }
}
