import Administration
import ConsolePages
import Directory
import Hummingbird

/// `/manager/settings`: the overview, the forms of its topics, and closing the organization.
struct SettingsRoutes: Sendable {
    let door: ConsoleDoor

    private static let path = ConsoleSection.settings.path

    func mount(on router: some RouterMethods<AppContext>) {
        router.get("manager/settings", use: show)
        for topic in SettingsTopic.allCases {
            router.get("manager/settings/\(topic.rawValue)") { request, context in
                try await showForm(of: topic, request, context)
            }
            router.post("manager/settings/\(topic.rawValue)") { request, context in
                try await set(topic, request, context)
            }
        }
        router.get("manager/settings/mail", use: showMail)
        router.get("manager/settings/close", use: askToClose)
        router.post("manager/settings/close", use: close)
        router.get("manager/settings/picture", use: showPicture)
        router.post("manager/settings/picture", use: setPicture)
        router.post("manager/settings/picture/remove", use: removePicture)
        DomainRoutes(door: door).mount(on: router)
        RoleRoutes(door: door).mount(on: router)
        RealmRoutes(door: door).mount(on: router)
        RetentionRoutes(door: door).mount(on: router)
        APIClientRoutes(door: door).mount(on: router)
    }

    @Sendable private func show(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(SettingsPage(desk: visit.desk, organization: try await visit.ask(ShowOrganization())))
        }
    }

    @Sendable private func showMail(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(MailPage(desk: visit.desk, mail: try await visit.ask(ShowMail())))
        }
    }

    // MARK: Forms

    private func showForm(
        of topic: SettingsTopic, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in
            .page(
                EditSettingsPage(
                    desk: visit.desk, topic: topic, organization: try await visit.ask(ShowOrganization())))
        }
    }

    private func set(_ topic: SettingsTopic, _ request: Request, _ context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .settings, from: topic.path,
            again: { visit, input, failure in
                EditSettingsPage(
                    desk: visit.desk, topic: topic, organization: try await visit.ask(ShowOrganization()),
                    typed: input.values(topic.inputs), failure: failure)
            }
        ) { visit, input in
            let done = try await visit.perform(
                try SetOrganization(topic, from: input), ifVersion: try input.version)
            return .next(Self.path, changes: done.changes)
        }
    }

    // MARK: The picture

    @Sendable private func showPicture(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings) { visit in .page(try await Self.picturePage(visit)) }
    }

    @Sendable private func setPicture(_ request: Request, context: AppContext) async throws -> Response {
        try await door.receive(
            request, context, in: .settings, from: PicturePage.path, bytesMax: PictureForm.formBytesMax,
            again: { try await Self.picturePage($0, failure: $1) }
        ) { visit, upload in
            // Before anything of the file is read.
            try await visit.administrator.admit(SetPicture.self)
            let (fields, files) = try await upload.begin()
            let file = try await files.file(bytesMax: PictureForm.formBytesMax)
            let done = try await visit.perform(SetPicture(picture: file), ifVersion: try ConsoleInput(fields).version)
            return .next(Self.path, changes: done.changes)
        }
    }

    @Sendable private func removePicture(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .settings, from: PicturePage.path,
            again: { visit, _, failure in try await Self.picturePage(visit, failure: failure) }
        ) { visit, input in
            let done = try await visit.perform(SetPicture(picture: nil), ifVersion: try input.version)
            return .next(Self.path, changes: done.changes)
        }
    }

    private static func picturePage(
        _ visit: ConsoleDoor.Visit, failure: OperationFailure? = nil
    ) async throws -> PicturePage {
        PicturePage(desk: visit.desk, organization: try await visit.ask(ShowOrganization()), failure: failure)
    }

    // MARK: Closing

    @Sendable private func askToClose(_ request: Request, context: AppContext) async throws -> Response {
        try await door.open(request, context, in: .settings, confirmsIdentity: true) { visit in
            .page(try await closingPage(visit))
        }
    }

    @Sendable private func close(_ request: Request, context: AppContext) async throws -> Response {
        try await door.submit(
            request, context, in: .settings, from: ClosingWords.path, confirmsIdentity: true,
            again: { visit, input, failure in
                try await closingPage(visit, typed: try input.typed(["days"]), failure: failure)
            }
        ) { visit, input in
            guard try input.repeats(visit.organization.name) else {
                throw OperationError.refused(ClosingWords.wrongName)
            }
            _ = try await visit.perform(
                CloseOrganization(eraseAfterDays: try input.number("days", called: "number of days")),
                ifVersion: try input.version)
            // Nobody of the organization is signed in any more.
            return .next("/", changes: [])
        }
    }

    private func closingPage(
        _ visit: ConsoleDoor.Visit, typed: [String: String] = [:], failure: OperationFailure? = nil
    ) async throws -> ConfirmPage {
        let preview = try await visit.preview(CloseOrganization())
        let organization = try await visit.ask(ShowOrganization())
        return ConfirmPage(
            desk: visit.desk, section: .settings, heading: ClosingWords.heading(organization),
            parent: ClosingWords.parent, consequences: ClosingWords.consequences(organization),
            preview: preview, action: ClosingWords.path, fields: ClosingWords.fields(organization, typed: typed),
            button: ClosingWords.button, isFinal: true, warning: ClosingWords.warning, failure: failure)
    }
}

extension SetOrganization {
    /// All that the form of a topic decides. What it has left empty is to be empty.
    fileprivate init(_ topic: SettingsTopic, from input: ConsoleInput) throws {
        self.init()
        func number(_ name: String, called words: String) throws -> Int {
            guard let number = try input.number(name, called: words) else {
                throw OperationError.invalid(field: words, reason: "is missing")
            }
            return number
        }
        var empty: [OptionalField] = []
        switch topic {
        case .name:
            name = try input["name"] ?? ""
            colour = try input["colour"] == nil ? nil : try input.required("colour")
            if colour == nil { empty = [.colour] }
        case .userNames: userNameFormat = try input["userNameFormat"] ?? ""
        case .signIn:
            asksEveryTime = try input["asksEveryTime"] == "yes"
            let holders = input.all("factorHolders").compactMap(FactorRule.Holder.init)
            if holders.isEmpty { empty.append(.factorHolders) } else { factorHolders = holders }
            factorGraceDays = try number("factorGraceDays", called: "number of days")
            sessionHours = try input.number("sessionHours", called: "number of hours")
            idleMinutes = try input.number("idleMinutes", called: "number of minutes")
            if sessionHours == nil { empty.append(.sessionHours) }
            if idleMinutes == nil { empty.append(.idleMinutes) }
        case .language:
            language = try input["language"]
            termsURL = try input["termsURL"]
            if language == nil { empty.append(.language) }
            if termsURL == nil { empty.append(.termsURL) }
        case .imports:
            removedPercent = try number("removedPercent", called: "percentage of removed records")
            changedPercent = try number("changedPercent", called: "percentage of changed records")
            renamedPercent = try number("renamedPercent", called: "percentage of people with other names")
            replacedMax = try number("replacedMax", called: "number of ids that go to other people")
        case .locations:
            locationDomain = try input["locationDomain"]
            locationTimeZone = try input["locationTimeZone"]
            if locationDomain == nil { empty.append(.locationDomain) }
            if locationTimeZone == nil { empty.append(.locationTimeZone) }
        }
        clear = empty
    }
}
