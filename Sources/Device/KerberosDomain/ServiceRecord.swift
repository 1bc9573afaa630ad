import CCares
import Ground
import KerberosProfile
import NameServers

/// A server of a service, as an SRV record names it (RFC 2782).
package struct ServiceRecord: Hashable, Sendable {
    /// In lower case, without a root dot.
    package let host: String
    package let port: UInt16
    /// The lowest comes first.
    package let priority: UInt16
    /// Within one priority, a server of weight 2 comes first twice as often as one of weight 1.
    package let weight: UInt16
}

extension NameServers {
    /// The servers of a service in the order in which they are to be tried.
    /// - Parameter name: such as `_kerberos._tcp.corp.test`.
    /// - Returns: empty if the domain says that it does not have the service.
    /// - Throws: ``NameServers/Failure``
    func services(at name: String, surroundings: Surroundings) async throws -> [ServiceRecord] {
        ServiceRecord.ordered(
            try await records(at: name, of: .service, read: ServiceRecord.read),
            random: { max in
                let bytes = surroundings.randomBytes(8)
                return Int(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % UInt64(max + 1))
            })
    }
}

extension ServiceRecord {
    /// More servers than that are not looked at: a forged answer could have thousands.
    static let countMax = 64

    fileprivate static func read(_ answer: NameServers.Answer) throws -> [ServiceRecord] {
        var first: UnsafeMutablePointer<ares_srv_reply>?
        try answer.check(ares_parse_srv_reply(answer.bytes, answer.count, &first))
        defer { ares_free_data(first) }
        var records: [ServiceRecord] = []
        var next = first
        while let record = next?.pointee, records.count < countMax {
            // The root as host means that there is no such service. Other names that are none cannot be asked for either.
            if let host = DomainName.canonical(String(cString: record.host)), record.port > 0 {
                records.append(
                    ServiceRecord(host: host, port: record.port, priority: record.priority, weight: record.weight))
            }
            next = record.next
        }
        return records
    }

    /// The order of RFC 2782: by priority, and within one priority drawn by lot according to the weights.
    /// - Parameter random: a number from 0 to the given one, each as likely as the others.
    static func ordered(_ records: [ServiceRecord], random: (Int) -> Int) -> [ServiceRecord] {
        var seen: Set<ServiceRecord> = []
        let groups = Dictionary(grouping: records.filter { seen.insert($0).inserted }, by: \.priority)
        var ordered: [ServiceRecord] = []
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            // Those without a weight first, so that they too have a small chance.
            var rest = group.sorted { ($0.weight, $0.host, $0.port) < ($1.weight, $1.host, $1.port) }
            while !rest.isEmpty {
                let drawn = random(rest.reduce(0) { $0 + Int($1.weight) })
                var sum = 0
                let index = rest.firstIndex { record in
                    sum += Int(record.weight)
                    return sum >= drawn
                }
                ordered.append(rest.remove(at: index ?? rest.endIndex - 1))
            }
        }
        return ordered
    }
}
