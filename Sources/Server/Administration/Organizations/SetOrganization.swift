import Directory
import RosterFiles
import Storage

/// Changes the settings of an organization. Only what is given changes.
package struct SetOrganization: Change {
    package typealias Answer = OrganizationRecord

    package static let name = "organization.set"
    package static let summary = "Changes the settings of an organization. Only what is given changes."
    package static let privilege = Privilege.manageOrganization
    package static let route = OperationRoute(.post, "settings")
    package static let explanations = [
        "name": "The name. No two organizations of a server have one name.",
        "colour": "The colour of its badge and of its accounts' pages.",
        "userNameFormat":
            "How people who come later get their user names, such as `{first_name}.{last_name}@maple.example`.",
        "removedPercent": "An import is held that removes more than this percentage of a type of record.",
        "changedPercent": "An import is held that changes more than this percentage of a type of record.",
        "replacedMax": "An import is held that gives more person ids than this to what looks like other people.",
        "renamedPercent": "An import is held that gives more than this percentage of the people another name.",
        "locationDomain": "The domain that apps see of locations without one of their own.",
        "locationTimeZone": "The IANA name of the time zone that apps see of locations without one of their own.",
        "asksEveryTime": "Whether people confirm each sign-in to an app, and not only the first.",
        "factorHolders":
            "Who has to have a second factor, such as a passkey. `team_member` is who makes apps that use Lanyard.",
        "factorGraceDays": "How many days they have to set one up, 0 to 90, each from when they have to.",
        "sessionHours": "After how many hours a browser has to sign in anew, 1 to 12.",
        "idleMinutes":
            "After how many minutes without use a browser is signed out: 5 to 720, and at most as the server has it.",
        "language": "The language of letters and slips for people who have chosen none, such as `ja`.",
        "termsURL": "Where its terms are, with https. Pages of its accounts have a link to it.",
        "clear": "Fields that are to be empty.",
    ]
    package static let undo = UndoRule.possible
    package static let mayChangeNothing = true
    package static let hasBulkForm = false

    /// A field that can be empty.
    package enum OptionalField: String, Codable, CaseIterable, Sendable {
        case colour
        case locationDomain
        case locationTimeZone
        case factorHolders
        case sessionHours
        case idleMinutes
        case language
        case termsURL
    }

    package var name: String?
    package var colour: Organization.Colour?
    package var userNameFormat: String?
    package var removedPercent: Int?
    package var changedPercent: Int?
    package var replacedMax: Int?
    package var renamedPercent: Int?
    package var locationDomain: String?
    package var locationTimeZone: String?
    package var asksEveryTime: Bool?
    package var factorHolders: [FactorRule.Holder]?
    package var factorGraceDays: Int?
    package var sessionHours: Int?
    package var idleMinutes: Int?
    package var language: String?
    package var termsURL: String?
    package var clear: [OptionalField]?

    package init() {}

    package func subject(
        in context: OperationContext, _ transaction: some Transaction
    ) throws -> OrganizationSettings { try context.settingsToChange(transaction) }

    package func carryOut(on before: OrganizationSettings, _: Void, in act: Act) throws -> OrganizationRecord {
        let organization = before.organization
        try putName(of: organization, in: act)
        let newColour = try value(.colour, colour, organization.colour)
        if newColour != organization.colour { try organization.put(colour: newColour, in: act.transaction) }
        let thresholds = try ImportThresholds(
            removedPercent: removedPercent ?? before.thresholds.removedPercent,
            changedPercent: changedPercent ?? before.thresholds.changedPercent,
            replacedMax: replacedMax ?? before.thresholds.replacedMax,
            renamedPercent: renamedPercent ?? before.thresholds.renamedPercent)
        if thresholds != before.thresholds { try thresholds.put(for: organization.id, in: act.transaction) }
        try LocationDefaults(
            domainName: value(.locationDomain, locationDomain, before.locations.domainName),
            timeZone: value(.locationTimeZone, locationTimeZone, before.locations.timeZone)
        ).put(for: organization.id, at: act.now, in: act.transaction)
        if let asksEveryTime { try organization.put(asksEveryTime: asksEveryTime, in: act.transaction) }
        let rules = try rules(after: organization.rules)
        if rules != organization.rules { try organization.put(rules, in: act.transaction) }
        let holders = try value(.factorHolders, factorHolders.map(Set.init), before.factors.holders) ?? []
        let graceDays = factorGraceDays ?? before.factors.graceDays
        if holders != before.factors.holders || graceDays != before.factors.graceDays {
            try checkLoosening(before.factors, to: holders, graceDays, in: act.context)
            try before.factors.put(
                holders: holders, graceDays: graceDays, for: organization.id, at: act.now, in: act.transaction)
        }

        let after = try OrganizationSettings(organization, in: act.transaction)
        if after.version != before.version {
            try act.record(
                .organizationChanged, on: organization, called: after.organization.name,
                after.differences(from: before))
            act.undo(by: SetOrganization(restoring: before))
        }
        return try OrganizationRecord(organization, at: act.now, in: act.transaction)
    }

    /// A rule protects those whom it names against whoever has their password. So only whoever manages them may take it
    /// away from them, or put it off: a People Manager would open the way to an Administrator's account otherwise.
    private func checkLoosening(
        _ rule: FactorRule, to holders: Set<FactorRule.Holder>, _ graceDays: Int, in context: OperationContext
    ) throws {
        let loosened = graceDays > rule.graceDays ? rule.holders : rule.holders.subtracting(holders)
        let isAllowed = loosened.allSatisfy { holder in
            // Members of teams may be anybody, an Administrator too.
            context.authority.manages(RoleAssignment(holder.role ?? .administrator, at: nil))
        }
        guard isAllowed else { throw OperationError.forbidden(.managePeople) }
    }

    /// Names are unique, because people name organizations by them.
    private func putName(of organization: Organization, in act: Act) throws {
        // The name in the form in which it is stored, so that it can be compared with stored names.
        let newName = try name.map { try FieldRule.name.check($0, field: "organization name") } ?? organization.name
        let newFormat = try userNameFormat.map(UserNameFormat.init) ?? organization.userNameFormat
        // If nothing is different, nothing is written: apps would take that for a change.
        guard newName != organization.name || newFormat.text != organization.userNameFormatText else { return }
        let isTaken = try Organization.list(in: act.transaction).contains {
            $0.name == newName && $0.id != organization.id
        }
        guard !isTaken else {
            throw OperationError.refused("Another organization is called “\(newName)”. Choose another name.")
        }
        try organization.update(name: newName, userNameFormat: newFormat, at: act.now, in: act.transaction)
    }

    private func rules(after before: HouseRules) throws -> HouseRules {
        if let language, !LocalizedName.languages.contains(language) {
            throw OperationError.invalid(
                field: "language", reason: "is none of \(LocalizedName.languages.joined(separator: ", "))")
        }
        var rules = HouseRules()
        rules.sessionHours = try value(.sessionHours, sessionHours, before.sessionHours)
        rules.idleMinutes = try value(.idleMinutes, idleMinutes, before.idleMinutes)
        rules.language = try value(.language, language, before.language)
        rules.termsURL = try value(.termsURL, termsURL, before.termsURL)
        return try rules.checked()
    }

    private func value<Value>(_ field: OptionalField, _ given: Value?, _ present: Value?) throws -> Value? {
        guard clear?.contains(field) == true else { return given ?? present }
        guard given == nil else {
            throw OperationError.invalid(field: field.rawValue, reason: "is given and also to be empty")
        }
        return nil
    }
}

extension SetOrganization {
    /// What brings the settings back.
    fileprivate init(restoring settings: OrganizationSettings) {
        let (organization, thresholds) = (settings.organization, settings.thresholds)
        name = organization.name
        colour = organization.colour
        userNameFormat = organization.userNameFormatText
        removedPercent = thresholds.removedPercent
        changedPercent = thresholds.changedPercent
        replacedMax = thresholds.replacedMax
        renamedPercent = thresholds.renamedPercent
        locationDomain = settings.locations.domainName
        locationTimeZone = settings.locations.timeZone
        asksEveryTime = organization.asksEveryTime
        factorHolders = settings.factors.holders.isEmpty ? nil : settings.factors.holders.sorted()
        factorGraceDays = settings.factors.graceDays
        sessionHours = organization.rules.sessionHours
        idleMinutes = organization.rules.idleMinutes
        language = organization.rules.language
        termsURL = organization.rules.termsURL
        let emptied: [OptionalField?] = [
            colour == nil ? .colour : nil, locationDomain == nil ? .locationDomain : nil,
            locationTimeZone == nil ? .locationTimeZone : nil,
            factorHolders == nil ? .factorHolders : nil, sessionHours == nil ? .sessionHours : nil,
            idleMinutes == nil ? .idleMinutes : nil, language == nil ? .language : nil,
            termsURL == nil ? .termsURL : nil,
        ]
        clear = emptied.compactMap(\.self)
    }
}

extension OrganizationSettings {
    /// For the audit trail.
    fileprivate func differences(from before: OrganizationSettings) -> String {
        let (old, new) = (before.organization, organization)
        func percent(_ word: String, _ path: KeyPath<ImportThresholds, Int>, _ unit: String = " %") -> String? {
            thresholds[keyPath: path] == before.thresholds[keyPath: path]
                ? nil : "\(word) \(thresholds[keyPath: path])\(unit)"
        }
        let decided = [
            old.name == new.name ? nil : "name",
            old.colour == new.colour ? nil : "colour \(new.colour?.rawValue ?? "of its id")",
            old.userNameFormatText == new.userNameFormatText ? nil : "user-name format",
            percent("removed", \.removedPercent), percent("changed", \.changedPercent),
            percent("replaced", \.replacedMax, ""), percent("renamed", \.renamedPercent),
            before.locations == locations ? nil : "what locations have without their own",
            old.asksEveryTime == new.asksEveryTime
                ? nil : new.asksEveryTime ? "each sign-in confirmed" : "sign-ins not confirmed",
            before.factors.holders == factors.holders
                ? nil
                : "second factor for "
                    + (factors.holders.isEmpty
                        ? "nobody" : factors.holders.sorted().map(\.rawValue).joined(separator: " and ")),
            before.factors.graceDays == factors.graceDays ? nil : "within \(factors.graceDays) days",
        ]
        return (decided + organization.rules.differences(from: old.rules)).compactMap(\.self).joined(separator: ", ")
    }
}

extension HouseRules {
    fileprivate func differences(from before: HouseRules) -> [String?] {
        let (hours, minutes) = (sessionHours.map { "\($0) hours" }, idleMinutes.map { "\($0) minutes" })
        let server = "the server's time"
        return [
            before.sessionHours == sessionHours ? nil : "signed in for \(hours ?? server)",
            before.idleMinutes == idleMinutes ? nil : "signed out after \(minutes ?? server) without use",
            before.language == language ? nil : "language \(language ?? "none")",
            before.termsURL == termsURL ? nil : "terms",
        ]
    }
}
