import Administration
import Directory
import NIOHTTP1
import Testing

@testable import TestServers

/// One page or form of the console, and the privilege that it needs.
struct ConsoleCase: Sendable, CustomTestStringConvertible {
    let method: HTTPMethod
    /// The route, with the names of its parameters in braces.
    let route: String
    let query: String
    /// What the form has filled in; nothing for a page.
    let fields: [String: String]
    /// Nil for what everybody of the organization may open.
    let privilege: Privilege?
    /// What comes of it for whoever may do it.
    let statuses: Set<Int>
    /// Whether the privilege is not enough.
    var isForAdministratorsAlone = false
    /// Where it is sent, if it is about something of its own; otherwise the route, filled in with what each district has.
    var address: String?

    /// - Parameter query: with its question mark.
    static func page(
        _ route: String, _ privilege: Privilege?, query: String = "", gives statuses: Set<Int> = [200]
    ) -> ConsoleCase {
        ConsoleCase(
            method: .GET, route: route, query: query, fields: [:], privilege: privilege, statuses: statuses)
    }

    static func form(
        _ route: String, _ privilege: Privilege?, query: String = "", _ fields: [String: String] = [:],
        gives statuses: Set<Int> = [303]
    ) -> ConsoleCase {
        ConsoleCase(
            method: .POST, route: route, query: query, fields: fields, privilege: privilege, statuses: statuses)
    }

    var testDescription: String { "\(method) \(route)" }

    func isOpen(to role: Role) -> Bool {
        (privilege.map(role.usualPrivileges.contains) ?? true) && (!isForAdministratorsAlone || role == .administrator)
    }

    /// The same, for Administrators alone.
    var forAdministratorsAlone: ConsoleCase {
        var one = self
        one.isForAdministratorsAlone = true
        return one
    }
}

extension ConsoleCase {
    /// A link or a form on a page, and what it leads to: none if that is nowhere.
    struct Offer {
        let text: String
        let cases: [ConsoleCase]
    }

    /// What a page offers in the console.
    static func offered(on page: Answer) -> [Offer] {
        let links = page.body.matches(of: #/<a [^>]*?href="(\/manager[^"]*)"/#).map { (HTTPMethod.GET, $0.1) }
        let forms = page.body.matches(of: #/<form [^>]*?method="(\w+)" action="(\/manager[^"]*)"/#).map {
            ($0.1 == "post" ? HTTPMethod.POST : .GET, $0.2)
        }
        return (links + forms).map { method, address in
            let path = address.prefix { $0 != "?" && $0 != "#" }
            let fitting = all.filter { $0.method == method && $0.covers(path) }
            // `/manager/people/add` is a page of its own, and nobody's.
            let fewest = fitting.map(\.parameters).min()
            return Offer(text: "\(method) \(address)", cases: fitting.filter { $0.parameters == fewest })
        }
    }

    private var parameters: Int { route.count { $0 == "{" } }

    private func covers(_ path: Substring) -> Bool {
        let (wanted, given) = (route.split(separator: "/"), path.split(separator: "/"))
        return wanted.count == given.count && zip(wanted, given).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}

extension ConsoleCase {
    /// Everything under `/manager`, in an order in which each form has something to do. A section adds its own pages and
    /// forms in a list of its own.
    static let all =
        home + people + passwords + classes + terms + locations + imports + idMaps + pickUps
        + apps + access + devices + activity + settings + lastly

    static let home: [ConsoleCase] = [
        .page("/manager", nil),
        // A change that there is not.
        .form("/manager/undo", nil, ["changes": "999999"], gives: [200]),
    ]

    static let people: [ConsoleCase] = [
        .page("/manager/people", .readPeople), .page("/manager/find", .readPeople, query: "?text=na"),
        .form("/manager/people/bulk", .issuePasswords, ["action": "sign-out", "choice": "{pupil}"], gives: [200]),
        .form(
            "/manager/people/bulk", .issuePasswords, ["action": "sign-out", "scope": "all", "role": "student"],
            gives: [200]),
        .form("/manager/people/bulk", .managePeople, ["action": "deactivate", "choice": "{pupil}"], gives: [200]),
        // Nobody is locked or deactivated, so that the page has nothing to tell.
        .form("/manager/people/bulk", .issuePasswords, ["action": "unlock", "choice": "{pupil}"], gives: [200]),
        .form("/manager/people/bulk", .managePeople, ["action": "reactivate", "choice": "{pupil}"], gives: [200]),
        .page("/manager/people/add", .managePeople),
        .form(
            "/manager/people/add", .managePeople,
            ["firstName": "New", "lastName": "Pupil", "userName": "new@maple.example", "role": "student"]),
        .page("/manager/people/{person}", .readPeople), .page("/manager/people/{person}/edit", .managePeople),
        .form("/manager/people/{person}/edit", .managePeople, ["firstName": "Nadja", "lastName": "Okoye"]),
        // Nobody has typed a wrong password.
        .page("/manager/people/{person}/unlock", .issuePasswords, gives: [422]),
        .form("/manager/people/{person}/unlock", .issuePasswords, gives: [422]),
        .page("/manager/people/{person}/sign-out", .issuePasswords),
        .form("/manager/people/{person}/sign-out", .issuePasswords),
        // There is nothing to take away.
        .page("/manager/people/{person}/reset-factors", .issuePasswords, gives: [422]),
        .form("/manager/people/{person}/reset-factors", .issuePasswords, gives: [422]),
        .page("/manager/people/{person}/rename", .managePeople),
        .form("/manager/people/{person}/rename", .managePeople, ["userName": "nadja@maple.example"]),
        .page("/manager/people/{person}/roles", .managePeople),
        .form("/manager/people/{person}/roles", .managePeople, ["role": "staff"]),
        .form("/manager/people/{person}/roles/remove", .managePeople, ["role": "staff"]),
        .page("/manager/people/{person}/merge", .erasePeople, query: "?text=ben"),
        .page("/manager/people/{person}/merge", .erasePeople, query: "?other={other}"),
        .form("/manager/people/{person}/merge", .erasePeople, ["other": "{other}"]),
        .page("/manager/people/{person}/readers", .readAudit), .page("/manager/people/{person}/data", .readAudit),
        .page("/manager/people/{person}/data/html", .readAudit),
        .page("/manager/people/{person}/data/csv", .readAudit),
        .page("/manager/people/{person}/data/json", .readAudit),
    ]

    static let passwords: [ConsoleCase] = [
        .page("/manager/people/{person}/password", .issuePasswords),
        .form("/manager/people/{person}/password", .issuePasswords, gives: [200]),
        .page("/manager/people/passwords", .issuePasswords),
        .page("/manager/people/passwords", .issuePasswords, query: "?look=yes&role=student&who=all"),
        .form("/manager/people/passwords", .issuePasswords, ["role": "student", "who": "all"]),
        .page("/manager/people/passwords/{job}", .issuePasswords),
        .form("/manager/people/passwords/{job}/file", .issuePasswords, ["file": "csv"], gives: [200]),
        .form("/manager/people/passwords/{job}/delete", .issuePasswords),
    ]

    static let classes: [ConsoleCase] = [
        .page("/manager/classes", .readPeople), .page("/manager/classes/add", .manageClasses),
        .form("/manager/classes/bulk", .manageClasses, ["action": "archive", "choice": "{class}"], gives: [200]),
        .form(
            "/manager/classes/bulk", .manageClasses, ["action": "archive", "scope": "all", "text": "Earth"],
            gives: [200]),
        // It is not archived.
        .form(
            "/manager/classes/bulk", .manageClasses, ["action": "restore", "choice": "{class}", "state": "archived"],
            gives: [200]),
        .form("/manager/classes/add", .manageClasses, ["name": "Chess"]),
        .page("/manager/classes/{class}", .readPeople), .page("/manager/classes/{class}/edit", .manageClasses),
        .form("/manager/classes/{class}/edit", .manageClasses, ["name": "Earth and Sky", "room": "1"]),
        .form("/manager/classes/{class}/students", .manageClasses, ["addStudents": "paula@maple.example"]),
        .page("/manager/classes/{class}/archive", .manageClasses),
        .form("/manager/classes/{class}/archive", .manageClasses),
        .page("/manager/classes/{class}/restore", .manageClasses),
        .form("/manager/classes/{class}/restore", .manageClasses),
        // It is not archived any more.
        .page("/manager/classes/{class}/remove", .manageClasses, gives: [422]),
        .form("/manager/classes/{class}/remove", .manageClasses, gives: [422]),
    ]

    static let terms: [ConsoleCase] = [
        .page("/manager/classes/terms", .manageClasses), .page("/manager/classes/terms/add", .manageClasses),
        .form(
            "/manager/classes/terms/add", .manageClasses,
            ["name": "2027/28", "firstDay": "2027-08-16", "lastDay": "2028-07-01"]),
        .page("/manager/classes/terms/edit", .manageClasses, query: "?term=2026"),
        .form(
            "/manager/classes/terms/edit", .manageClasses, query: "?term=2026",
            ["name": "2026", "firstDay": "2026-08-18", "lastDay": "2027-07-01"]),
        .page("/manager/classes/terms/close", .manageClasses, query: "?term=2026"),
        .form("/manager/classes/terms/close", .manageClasses, query: "?term=2026"),
        .page("/manager/classes/terms/reopen", .manageClasses, query: "?term=2026"),
        .form("/manager/classes/terms/reopen", .manageClasses, query: "?term=2026"),
    ]

    static let locations: [ConsoleCase] = [
        .page("/manager/locations", .manageLocations), .page("/manager/locations/add", .manageLocations),
        .form("/manager/locations/add", .manageLocations, ["name": "Gym"]),
        .form(
            "/manager/locations/bulk", .manageLocations, ["action": "remove", "choice": "LO:{location}"], gives: [200]),
        .form(
            "/manager/locations/bulk", .manageLocations, ["action": "remove", "scope": "all", "text": "a"],
            gives: [200]),
        // It is not removed.
        .form(
            "/manager/locations/bulk", .manageLocations,
            ["action": "restore", "choice": "LO:{location}", "state": "removed"], gives: [200]),
        .page("/manager/locations/{location}", .manageLocations),
        .page("/manager/locations/{location}/edit", .manageLocations),
        .form("/manager/locations/{location}/edit", .manageLocations, ["name": "Annex 2"]),
        // Somebody teaches there, which the page says.
        .page("/manager/locations/{location}/remove", .manageLocations),
        .form("/manager/locations/{location}/remove", .manageLocations, gives: [422]),
        // It is not removed.
        .page("/manager/locations/{location}/restore", .manageLocations, gives: [422]),
        .form("/manager/locations/{location}/restore", .manageLocations, gives: [422]),
    ]

    static let imports: [ConsoleCase] = [
        .page("/manager/imports", .importRoster), .page("/manager/imports/upload", .importRoster),
        // A form without files, which browsers send in another way.
        .form("/manager/imports/upload", .importRoster, gives: [422]),
        // It leads to the plan.
        .page("/manager/imports/jobs/{job}", .importRoster, gives: [303]),
        .page("/manager/imports/jobs/{job}/defects.csv", .importRoster),
        .page("/manager/imports/{import}", .importRoster),
        .page("/manager/imports/{import}/defects.csv", .importRoster),
        .page("/manager/imports/{import}/compare", .importRoster, query: "?from={earlier}"),
        .form("/manager/imports/{import}/approve", .importRoster),
        .form("/manager/imports/{import}/discard", .importRoster),
        .page("/manager/imports/{import}/undo", .importRoster), .form("/manager/imports/{import}/undo", .importRoster),
    ]

    static let idMaps: [ConsoleCase] = [
        .page("/manager/imports/ids", .importRoster), .form("/manager/imports/ids", .importRoster, gives: [422]),
        .form("/manager/imports/ids/map", .importRoster, gives: [422]),
        .page("/manager/imports/ids/{job}", .importRoster), .page("/manager/imports/ids/{job}/map.csv", .importRoster),
        // It asks first.
        .form("/manager/imports/ids/{job}/apply", .importRoster, gives: [200]),
    ]

    static let pickUps: [ConsoleCase] = [
        .page("/manager/imports/pick-ups", .importRoster),
        .form("/manager/imports/pick-ups", .importRoster, ["hour": "3"]),
        .page("/manager/imports/pick-ups/{pickUp}", .importRoster),
        .form("/manager/imports/pick-ups/{pickUp}", .importRoster, ["hour": "4"]),
        // Nothing was read yet: that takes a folder and a night. It is the only page of the list that is not found.
        .page("/manager/imports/pick-ups/{pickUp}/defects.csv", .importRoster, gives: [404]),
        // The server has no place for such folders.
        .form("/manager/imports/pick-ups/{pickUp}/read", .importRoster, gives: [422]),
        .form("/manager/imports/pick-ups/{pickUp}/remove", .importRoster),
    ]

    static let access: [ConsoleCase] =
        [.page("/manager/access", .manageSignInApps, gives: [200, 303])]
        + signIn + dataSharing

    static let signIn = topic("sign-in", .manageSignInApps)
    static let dataSharing = topic("data-sharing", .shareData)

    private static func topic(_ name: String, _ privilege: Privilege) -> [ConsoleCase] {
        let path = "/manager/access/\(name)"
        return [
            .page(path, privilege), .page("\(path)/add", privilege),
            // As it is already.
            .form("\(path)/mode", privilege, ["mode": "listed"], gives: [200, 303]),
            .page("\(path)/apps/{app}/add", privilege, gives: [200, 303]),
            .form("\(path)/apps/{app}/add", privilege),
            .page("\(path)/apps/{app}/remove", privilege, gives: [200, 303]),
            .form("\(path)/apps/{app}/remove", privilege),
        ]
    }

    static let apps: [ConsoleCase] = [
        .page("/manager/apps", .shareData), .page("/manager/apps/term", .shareData),
        .form("/manager/apps/term", .shareData, ["kind": "year"]),
        .page("/manager/apps/{app}", .shareData), .page("/manager/apps/{app}/sharing", .shareData),
        .form("/manager/apps/{app}/sharing", .shareData, ["roles": "Student"], gives: [200]),
        .form("/manager/apps/{app}/leave-out", .shareData, ["people": "{person}"], gives: [200]),
        // Nobody is left out.
        .form("/manager/apps/{app}/put-back", .shareData, ["people": "{person}"], gives: [200, 422]),
        .page("/manager/apps/{app}/view", .shareData, gives: [200, 422]),
        .page("/manager/apps/{app}/why", .shareData), .page("/manager/apps/{app}/limit", .shareData),
        .form("/manager/apps/{app}/limit", .shareData, ["lastDay": "2027-06-30"]),
        .page("/manager/apps/{app}/renew", .shareData), .form("/manager/apps/{app}/renew", .shareData),
        .page("/manager/apps/{app}/revoke", .shareData), .form("/manager/apps/{app}/revoke", .shareData),
    ]

    static let devices: [ConsoleCase] = [
        .page("/manager/devices", .manageDevices), .page("/manager/devices/code", .manageDevices),
        .form("/manager/devices/code", .manageDevices, ["person": "{person}"], gives: [200]),
        // This program was not told how profiles are made.
        .page("/manager/devices/profile", .manageDevices, gives: [200]),
        .page("/manager/devices/profile/file", .manageDevices, gives: [422]),
        .page("/manager/devices/{device}", .manageDevices), .page("/manager/devices/{device}/remove", .manageDevices),
        .form("/manager/devices/{device}/remove", .manageDevices, ["confirmed": "yes"]),
    ]

    static let activity: [ConsoleCase] = [
        .page("/manager/activity", .readAudit), .page("/manager/activity/changes", .readAudit),
        .page("/manager/activity/export", .readAudit),
        .form("/manager/activity/export/file", .readAudit, ["from": "2026-01-01", "to": "2026-12-31"], gives: [200]),
    ]

    static let settings: [ConsoleCase] = [
        .page("/manager/settings", .manageOrganization), .page("/manager/settings/roles", .manageOrganization),
        .page("/manager/settings/mail", .manageOrganization),
        .page("/manager/settings/name", .manageOrganization),
        .form("/manager/settings/name", .manageOrganization, ["name": "Maple District", "colour": "plum"]),
        .page("/manager/settings/user-names", .manageOrganization),
        .form(
            "/manager/settings/user-names", .manageOrganization,
            ["userNameFormat": "{first_initial}.{last_name}@maple.example"]),
        .page("/manager/settings/sign-in", .manageOrganization),
        .form("/manager/settings/sign-in", .manageOrganization, ["asksEveryTime": "yes", "factorGraceDays": "14"]),
        .page("/manager/settings/imports", .manageOrganization),
        .form(
            "/manager/settings/imports", .manageOrganization,
            ["removedPercent": "5", "changedPercent": "50", "renamedPercent": "2", "replacedMax": "3"]),
        .page("/manager/settings/language", .manageOrganization),
        .form("/manager/settings/language", .manageOrganization, ["language": "ko"]),
        .page("/manager/settings/locations", .manageOrganization),
        .form("/manager/settings/locations", .manageOrganization, ["locationTimeZone": "Europe/Berlin"]),
        .page("/manager/settings/picture", .manageOrganization),
        .form("/manager/settings/picture", .manageOrganization, gives: [422]),
        .form("/manager/settings/picture/remove", .manageOrganization),
        .page("/manager/settings/domains", .manageOrganization),
        .form("/manager/settings/domains", .manageOrganization, ["domain": "pupils.example"]),
        .page("/manager/settings/domains/{domain}", .manageOrganization),
        // No name server answers.
        .form("/manager/settings/domains/{domain}/prove", .manageOrganization, gives: [422]),
        .page("/manager/settings/domains/{domain}/remove", .manageOrganization),
        .form("/manager/settings/domains/{domain}/remove", .manageOrganization),
        .page("/manager/settings/roles/{role}", .manageOrganization),
        .form(
            "/manager/settings/roles/{role}", .manageOrganization,
            ["privileges": "people.manage", "offered": "classes.manage"], gives: [200]),
        .form(
            "/manager/settings/roles/{role}", .manageOrganization,
            ["privileges": "people.manage", "offered": "classes.manage", "confirmed": "yes"]),
        .page("/manager/settings/realms", .manageOrganization),
        .form(
            "/manager/settings/realms", .manageOrganization,
            ["realm": "AD.MAPLE.EXAMPLE", "matching": "user_name", "domain": "maple.example", "confirmed": "yes"]
        ).forAdministratorsAlone,
        .page("/manager/settings/realms/{realm}/remove", .manageOrganization).forAdministratorsAlone,
        .form("/manager/settings/realms/{realm}/remove", .manageOrganization).forAdministratorsAlone,
        .page("/manager/settings/retention", .erasePeople),
        .page("/manager/settings/retention/left-people", .erasePeople),
        .form("/manager/settings/retention/left-people", .erasePeople, ["days": "730"], gives: [200]),
        .page("/manager/settings/retention/unused-accounts", .erasePeople),
        .form("/manager/settings/retention/unused-accounts", .erasePeople, ["days": "400", "confirmed": "yes"]),
        .page("/manager/settings/retention/sessions", .erasePeople),
        .form("/manager/settings/retention/sessions", .erasePeople, ["days": "many"], gives: [422]),
        .page("/manager/settings/retention/imports", .erasePeople),
        // There is no rule to take away.
        .form("/manager/settings/retention/imports", .erasePeople, gives: [422]),
        .page("/manager/settings/holds", .erasePeople),
        .form("/manager/settings/holds", .erasePeople, ["reason": "A court case", "until": "2027-06-30"]),
        .form("/manager/settings/holds/{hold}/end", .erasePeople),
        .page("/manager/settings/api-clients", .manageAPIClients),
        .page("/manager/settings/api-clients/add", .manageAPIClients),
        .form(
            "/manager/settings/api-clients/add", .manageAPIClients,
            ["name": "A script", "privileges": "people.read"], gives: [200]),
        .page("/manager/settings/api-clients/{client}/revoke", .manageAPIClients),
        .form("/manager/settings/api-clients/{client}/revoke", .manageAPIClients),
        .page("/manager/settings/close", .manageOrganization).forAdministratorsAlone,
        // Without the name typed.
        .form("/manager/settings/close", .manageOrganization, ["days": "30"], gives: [422]).forAdministratorsAlone,
    ]

    /// What ends the people about whom all the others are.
    static let lastly: [ConsoleCase] = [
        .page("/manager/people/{person}/deactivate", .managePeople),
        .form("/manager/people/{person}/deactivate", .managePeople),
        .page("/manager/people/{person}/reactivate", .managePeople),
        .form("/manager/people/{person}/reactivate", .managePeople),
        .page("/manager/people/{person}/erase", .erasePeople),
        // Without the name typed.
        .form("/manager/people/{person}/erase", .erasePeople, gives: [422]),
    ]
}
