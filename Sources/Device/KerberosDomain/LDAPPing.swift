import KerberosProfile

/// The question for a domain controller's own description, and its answer: one LDAP search in a datagram, which Active
/// Directory answers without a sign-in ([MS-ADTS] 6.3.3). docs/specifications/extensible-single-sign-on.md, 24.5.
package enum LDAPPing {
    /// A search for the attribute `Netlogon` of the root, with the domain's name and the form of the answer as conditions.
    /// - Parameter number: comes back with the answer, so that another one is not taken for it; 0 to 2147483647.
    package static func question(domain: String, number: Int32) -> [UInt8] {
        // The forms of version 5 with the names of sites (NETLOGON_NT_VERSION_5 and _5EX).
        let version: [UInt8] = [0x06, 0, 0, 0]
        let filter =
            BER.element(0xa3, BER.text("DnsDomain") + BER.text(domain))
            + BER.element(0xa3, BER.text("NtVer") + BER.element(BER.octets, version))
        let search =
            BER.text("") + BER.element(BER.enumerated, [0]) + BER.element(BER.enumerated, [0])
            + BER.integer(0) + BER.integer(0) + BER.element(BER.boolean, [0]) + BER.element(0xa0, filter)
            + BER.element(BER.sequence, BER.text("Netlogon"))
        return BER.element(BER.sequence, BER.integer(number) + BER.element(0x63, search))
    }

    /// - Parameter number: that of the question.
    /// - Returns: nil if the datagram is no answer to the question, or tells of another domain.
    package static func answer(_ datagram: [UInt8], domain: String, number: Int32) -> DomainControllerDescription? {
        guard let value = netlogon(datagram, number: number),
            let description = DomainControllerDescription(value), description.domain == domain.lowercased()
        else { return nil }
        return description
    }

    /// The only value of the attribute.
    private static func netlogon(_ datagram: [UInt8], number: Int32) -> ArraySlice<UInt8>? {
        var reader = BER(datagram[...])
        guard var message = reader.enter(BER.sequence), message.integer() == number,
            // A search result entry.
            var entry = message.enter(0x64), entry.content(BER.octets) != nil,
            var attributes = entry.enter(BER.sequence)
        else { return nil }
        while var attribute = attributes.enter(BER.sequence) {
            guard let name = attribute.content(BER.octets), var values = attribute.enter(BER.set) else { return nil }
            if String(decoding: name, as: UTF8.self).lowercased() == "netlogon" { return values.content(BER.octets) }
        }
        return nil
    }
}

/// What a domain controller says of itself and of the client's place: `NETLOGON_SAM_LOGON_RESPONSE_EX` ([MS-ADTS] 6.3.1.9).
/// Nobody proves it: it may choose which servers are asked, and nothing else.
package struct DomainControllerDescription: Equatable, Sendable {
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let primary = Flags(rawValue: 0x1)
        package static let globalCatalog = Flags(rawValue: 0x4)
        package static let ldap = Flags(rawValue: 0x8)
        package static let directoryService = Flags(rawValue: 0x10)
        package static let keyDistributionCenter = Flags(rawValue: 0x20)
        package static let timeServer = Flags(rawValue: 0x40)
        /// The controller is in the site of the client, or in the nearest one.
        package static let closest = Flags(rawValue: 0x80)
        package static let writable = Flags(rawValue: 0x100)
    }

    package let flags: Flags
    /// Names of the domain name system, in lower case.
    package let forest: String
    package let domain: String
    package let host: String
    /// The short names, of NetBIOS.
    package let shortDomain: String
    package let shortHost: String
    /// The site of the controller; nil if it names none.
    package let controllerSite: String?
    /// The site of the client; nil if the client's address belongs to none.
    package let clientSite: String?

    /// - Returns: nil if it is cut short, of another form, or has something else where names should be.
    init?(_ bytes: ArraySlice<UInt8>) {
        // Code 23; 25 if a user was asked for who is not there.
        guard bytes.count >= 24, let code = bytes.littleEndian(at: 0, count: 2), code == 23 || code == 25,
            let flags = bytes.littleEndian(at: 4, count: 4)
        else { return nil }
        var names = CompressedNames(bytes, from: 24)
        guard let forest = names.next(), let domain = names.next(), let host = names.next(),
            let shortDomain = names.next(), let shortHost = names.next(), names.next() != nil,
            let controllerSite = names.next(), let clientSite = names.next(),
            let forest = DomainName.canonical(forest), let domain = DomainName.canonical(domain),
            let host = DomainName.canonical(host)
        else { return nil }
        self.flags = Flags(rawValue: flags)
        self.forest = forest
        self.domain = domain
        self.host = host
        self.shortDomain = shortDomain
        self.shortHost = shortHost
        self.controllerSite = DomainName.isSite(controllerSite) ? controllerSite : nil
        self.clientSite = DomainName.isSite(clientSite) ? clientSite : nil
    }
}

/// Names one after the other, in which the end of one may stand for that of another (RFC 1035 §4.1.4). Unlike there, offsets
/// count from the beginning of the value.
private struct CompressedNames {
    private let bytes: ArraySlice<UInt8>
    private var offset: Int

    init(_ bytes: ArraySlice<UInt8>, from offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    /// - Returns: the labels with dots between them; nil if it is cut short, longer than 255 bytes, or refers to anything
    ///   but what stands before it.
    mutating func next() -> String? {
        var labels: [UInt8] = []
        var place = offset
        // Each reference leads further to the front, so that there is an end.
        var limit = place
        var end: Int?
        while true {
            guard let length = byte(at: place) else { return nil }
            switch length {
            case 0:
                offset = end ?? place + 1
                return String(validating: labels, as: UTF8.self)
            case 1...63:
                guard place + 1 + Int(length) <= bytes.count, labels.count + 1 + Int(length) <= 255 else { return nil }
                if !labels.isEmpty { labels.append(UInt8(ascii: ".")) }
                let start = bytes.startIndex + place + 1
                labels += bytes[start..<start + Int(length)]
                place += 1 + Int(length)
            case 0xc0...0xff:
                guard let low = byte(at: place + 1) else { return nil }
                if end == nil { end = place + 2 }
                place = Int(length & 0x3f) << 8 | Int(low)
                guard place < limit else { return nil }
                limit = place
            default: return nil
            }
        }
    }

    private func byte(at place: Int) -> UInt8? {
        place < bytes.count ? bytes[bytes.startIndex + place] : nil
    }
}

extension ArraySlice<UInt8> {
    /// - Parameter count: at most 4.
    fileprivate func littleEndian(at offset: Int, count: Int) -> UInt32? {
        guard offset + count <= self.count else { return nil }
        return (0..<count).reduce(0) { $0 | UInt32(self[startIndex + offset + $1]) << (8 * UInt32($1)) }
    }
}
