/// What must be unique in all installed profiles, and who has it: URLs, hosts, the UUIDs of profiles and payloads, and the
/// default realm. docs/specifications/extensible-single-sign-on.md, 2.5, 3.5 and 21.4.
struct Claims {
    private var identifiers: [String: String] = [:]
    private var uuids: [String: String] = [:]
    private var urls: [URLPrefix: String] = [:]
    private var hosts: [HostPattern: String] = [:]
    private var defaultRealm: String?

    /// - Parameters:
    ///   - profile: an installed profile.
    ///   - file: its path, to name it where another one has the same identifier.
    mutating func add(_ profile: Profile, of file: String? = nil) {
        let owner = "the installed profile “\(profile.identifier)”"
        identifiers[profile.identifier] = file ?? ""
        for uuid in profile.uuids { uuids[uuid.lowercased()] = owner }
        for payload in profile.payloads {
            for url in payload.urls { urls[url] = owner }
            for host in payload.hosts { hosts[host] = owner }
            if payload.isDefaultRealm { defaultRealm = owner }
        }
    }

    /// Why a valid profile conflicts with those that were added; nil if it does not.
    func problem(of profile: Profile) -> String? {
        if let file = identifiers[profile.identifier] {
            return "Another profile with the identifier “\(profile.identifier)” is installed already"
                + (file.isEmpty ? "." : ": \(file).") + " Remove one of them."
        }
        for uuid in profile.uuids {
            if let owner = uuids[uuid.lowercased()] { return Self.clash(uuid: uuid, with: owner).whole }
        }
        for payload in profile.payloads {
            for url in payload.urls {
                if let owner = urls[url] { return Self.clash("“\(url.text)”", "URL", with: owner).whole }
            }
            for host in payload.hosts {
                if let owner = hosts[host] { return Self.clash("“\(host)”", "host", with: owner).whole }
            }
            if payload.isDefaultRealm, let owner = defaultRealm { return Self.clash(defaultRealmWith: owner).whole }
        }
        return nil
    }

    mutating func add(uuid: String, at path: String) -> [Finding] {
        guard let owner = uuids.updateValue(path, forKey: uuid.lowercased()) else { return [] }
        let clash = Self.clash(uuid: uuid, with: owner)
        return [Finding(.error, at: path, clash.problem, remedy: clash.remedy)]
    }

    mutating func add(_ new: [(index: Int, value: URLPrefix)], at path: String) -> [Finding] {
        new.compactMap { index, url in
            guard let owner = urls[url] else {
                urls[url] = "\(path)[\(index)]"
                return nil
            }
            let clash = Self.clash("“\(url.text)”", "URL", with: owner)
            return Finding(.error, at: "\(path)[\(index)]", clash.problem, remedy: clash.remedy)
        }
    }

    mutating func add(_ new: [(index: Int, value: HostPattern)], at path: String) -> [Finding] {
        new.compactMap { index, host in
            guard let owner = hosts[host] else {
                hosts[host] = "\(path)[\(index)]"
                return nil
            }
            let clash = Self.clash("“\(host)”", "host", with: owner)
            return Finding(.error, at: "\(path)[\(index)]", clash.problem, remedy: clash.remedy)
        }
    }

    /// - Parameter path: that of the payload.
    mutating func add(defaultRealmOf payload: SingleSignOnPayload, at path: String) -> [Finding] {
        guard payload.isDefaultRealm else { return [] }
        guard let owner = defaultRealm else {
            defaultRealm = path
            return []
        }
        let clash = Self.clash(defaultRealmWith: owner)
        return [
            Finding(.error, at: "\(path).ExtensionData.isDefaultRealm", clash.problem, remedy: clash.remedy)
        ]
    }

    private struct Clash {
        let problem: String
        let remedy: String
        var whole: String { "\(problem) \(remedy)" }
    }

    private static func clash(uuid: String, with owner: String) -> Clash {
        Clash(
            problem: "The UUID \(uuid) is that of \(owner) already.",
            remedy: "Make a new one, for instance with uuidgen.")
    }

    private static func clash(defaultRealmWith owner: String) -> Clash {
        Clash(
            problem: "The realm of \(owner) is the default one already.",
            remedy: "Let isDefaultRealm be true in one payload alone.")
    }

    private static func clash(_ value: String, _ thing: String, with owner: String) -> Clash {
        Clash(
            problem: "\(value) is the same as what \(owner) claims.",
            remedy: "A \(thing) belongs to one payload: take it out of one of them.")
    }
}
