import SingleSignOn

/// Measures a match among 10 000 URL prefixes, with a different host each and all on one host, and as the yardstick a
/// lookup of the host in a hash map. Prints `match N`, `match-one-host N` and `lookup N` in nanoseconds.
@main
struct MatchBenchmark {
    static func main() throws {
        let hosts = (0..<10_000).map { "login\($0).customer\($0 % 97).example" }
        let index = self.index(of: hosts.map { "https://\($0)/realms/staff/" })
        let indexOfOneHost = self.index(of: (0..<10_000).map { "https://login.example/realms/customer\($0)/" })
        let map = Dictionary(hosts.enumerated().map { ($1, $0) }) { $1 }

        // Half of them match; the others have a different path or host.
        let urls = (0..<10_000).map { number in
            switch number % 4 {
            case 0: "https://\(hosts[number])/realms/public/protocol/openid-connect/auth?client_id=app&state=0123456789"
            case 1: "https://www.elsewhere\(number).example/a/page/of/some/length.html"
            default: "https://\(hosts[number])/realms/staff/protocol/openid-connect/auth?client_id=app&state=0123456789"
            }
        }
        let urlsOfOneHost = (0..<10_000).map { number in
            let realm = number % 4 == 0 ? "stranger" : "customer"
            return "https://login.example/realms/\(realm)\(number)/protocol/openid-connect/auth?client_id=app"
        }
        let names = (0..<10_000).map { $0 % 4 == 1 ? "www.elsewhere\($0).example" : hosts[$0] }

        var found = 0
        let match = nanoseconds { found += index.redirect(for: urls[$0]) == nil ? 0 : 1 }
        let lookup = nanoseconds { found += map[names[$0]] == nil ? 0 : 1 }
        let matchOfOneHost = nanoseconds { found += indexOfOneHost.redirect(for: urlsOfOneHost[$0]) == nil ? 0 : 1 }
        precondition(found > 0)
        print("match \(match)\nmatch-one-host \(matchOfOneHost)\nlookup \(lookup)")
    }

    private static func index(of urls: [String]) -> MatchIndex {
        let description = ProfileDescription(
            identifier: "example.bench", extensionIdentifier: "example.bench.extension", teamIdentifier: "T", urls: urls
        )
        guard let profile = ProfileReading(description.profile).profile else { fatalError("the profile has errors") }
        return MatchIndex(profile.payloads)
    }

    /// Nanoseconds for one call, from the best of twenty rounds over all URLs.
    private static func nanoseconds(_ body: (Int) -> Void) -> Double {
        let clock = ContinuousClock()
        return (0..<20).map { _ in
            let spent = clock.measure { for index in 0..<10_000 { body(index) } }
            return Double(spent.components.attoseconds) / 1e9 / 10_000
        }.min() ?? 0
    }
}
