import CommandOutput
import Ground
import SingleSignOn
import SingleSignOnWire
import WebClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#endif

/// Whether the servers of the profiles' URLs answer, and whether this computer's clock goes as theirs.
struct ServerExamination {
    let payloads: [SingleSignOnPayload]
    var now: @Sendable () -> Date = Surroundings.system.now

    /// Servers that are asked; a profile may name thousands.
    private static let originsMax = 20
    /// The difference that servers of Lanyard allow between clocks, in seconds.
    private static let differenceMax = 60

    private enum Answer {
        case silence(String)
        /// How far this computer's clock is ahead, in seconds; nil if the server has not said the time.
        case reply(host: String, ahead: Int?)
    }

    func findings() async -> [DoctorFinding] {
        var authorities: [WebOrigin: [String]] = [:]
        for payload in payloads {
            let own = payload.extensionData["certificateAuthorities"]?.elements?.compactMap(\.text) ?? []
            for origin in payload.urls.compactMap({ WebOrigin(of: $0.canonical) }) {
                authorities[origin, default: []] += own.filter { !authorities[origin, default: []].contains($0) }
            }
        }
        let origins = authorities.keys.sorted { $0.description < $1.description }.prefix(Self.originsMax)
        let client = HTTPClient(now: now)
        let answers = await withTaskGroup(of: (Int, Answer).self) { group in
            for (number, origin) in origins.enumerated() {
                let own = authorities[origin] ?? []
                group.addTask { (number, await ask(origin, own, with: client)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
        let rest = authorities.count - origins.count
        let others = rest > 0 ? [DoctorFinding.ok("server", "\(rest) more are named, and were not asked.")] : []
        return answers.map(finding) + others + [clock(answers)].compactMap(\.self)
    }

    private func ask(_ origin: WebOrigin, _ authorities: [String], with client: HTTPClient) async -> Answer {
        guard let url = URL(string: "\(origin)/") else {
            return .silence("\(origin) is no URL")
        }
        var request = HTTPRequest(url)
        request.certificateAuthorities = authorities
        request.isCutOff = true
        do {
            let before = now()
            let reply = try await client.send(request)
            let said = reply.headers.last { $0.name.lowercased() == "date" }.flatMap { Self.time($0.value) }
            return .reply(host: url.place, ahead: said.map { Self.difference(from: before, to: now(), said: $0) })
        } catch {
            return .silence("\(error)")
        }
    }

    private func finding(of answer: Answer) -> DoctorFinding {
        switch answer {
        case .reply(let host, _): .ok("server", "\(host) answers.")
        case .silence(let failure):
            .problem(
                "server", "\(failure).",
                remedy: """
                    See that this computer is in a network in which the server can be reached, and that its proxy (https_proxy) \
                    lets it through. If the time is not \(now().minuteText) UTC, set the clock.
                    """)
        }
    }

    /// One server that agrees is enough: another one's clock may be wrong.
    private func clock(_ answers: [Answer]) -> DoctorFinding? {
        let told = answers.compactMap { answer -> (host: String, ahead: Int)? in
            guard case .reply(let host, let ahead?) = answer else { return nil }
            return (host, ahead)
        }
        guard let nearest = told.min(by: { abs($0.ahead) < abs($1.ahead) }) else { return nil }
        guard abs(nearest.ahead) > Self.differenceMax else {
            return .ok("clock", "It goes as that of \(nearest.host).")
        }
        return .problem(
            "clock",
            """
            This computer's clock is \(abs(nearest.ahead)) seconds \(nearest.ahead > 0 ? "ahead of" : "behind") that of \
            \(nearest.host): proofs of a device and certificates do not count then.
            """,
            remedy: "Have the clock set by the network: `sudo timedatectl set-ntp true`.")
    }

    /// How far this clock is ahead of a time that was said between two moments, in seconds; 0 if it may be right.
    static func difference(from earlier: Date, to later: Date, said: Date) -> Int {
        // The header leaves fractions of a second out.
        if said > later { return -Int(said.timeIntervalSince(later)) }
        return max(0, Int(earlier.timeIntervalSince(said)) - 1)
    }

    /// The time in a header `Date`, in the form that servers write. RFC 9110 §5.6.7.
    static func time(_ text: String) -> Date? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])),
            let day = Int32(words[1]), let year = Int32(words[3])
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int32($0) }
        guard clock.count == 3 else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }
}
