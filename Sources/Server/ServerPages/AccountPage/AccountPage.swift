import Foundation

/// The person's own page: who they are, which apps they use, where they are signed in, and how.
package struct AccountPage: Page {
    package struct App: Sendable {
        package let app: RequestingApp
        /// When the person first signed in to the app.
        package let since: Date
        package let shared: SharedWithApp
        /// Leads to ``StopUsingPage``.
        package let stopPath: String

        package init(_ app: RequestingApp, since: Date, shared: SharedWithApp, stopPath: String) {
            self.app = app
            self.since = since
            self.shared = shared
            self.stopPath = stopPath
        }
    }

    /// A device that signs the person in with a key of its own.
    package struct SignInDevice: Sendable {
        package let name: String
        package let addedAt: Date
        /// When it last signed the person in; nil if never.
        package let usedAt: Date?
        /// Posts without fields of its own.
        package let remove: Form

        package init(name: String, addedAt: Date, usedAt: Date?, remove: Form) {
            self.name = name
            self.addedAt = addedAt
            self.usedAt = usedAt
            self.remove = remove
        }
    }

    package struct HiddenAddress: Sendable {
        package let address: String
        /// The developer team whose apps write to it.
        package let teamName: String
        package let isForwarding: Bool
        /// Posts `forwarding` = `on` or `off`.
        package let toggle: Form

        package init(address: String, teamName: String, isForwarding: Bool, toggle: Form) {
            self.address = address
            self.teamName = teamName
            self.isForwarding = isForwarding
            self.toggle = toggle
        }
    }

    /// What has just been done; shown once at the top.
    package enum Notice: Equatable, Sendable {
        case nameChanged, emailChanged, passwordChanged, signedOutElsewhere, signedOutOthers, forwardingOn,
            forwardingOff, deviceRemoved
        case stoppedUsing(appName: AppName)
        case stoppedSharing(appName: AppName, organizationName: String)
        case renewedSharing(appName: AppName, organizationName: String)

        var sentence: Sentence {
            switch self {
            case .nameChanged: Sentence("account.nameChanged")
            case .emailChanged: Sentence("account.emailChanged")
            case .passwordChanged: Sentence("account.passwordChanged")
            case .signedOutElsewhere: Sentence("account.signedOutElsewhere")
            case .signedOutOthers: Sentence("account.signedOutOthers")
            case .forwardingOn: Sentence("account.forwardingOn")
            case .forwardingOff: Sentence("account.forwardingOff")
            case .deviceRemoved: Sentence("account.deviceRemoved")
            case .stoppedUsing(let appName): Sentence("account.stoppedUsing", ["app": .text(appName)])
            case .stoppedSharing(let appName, let organizationName):
                Sentence("account.stoppedSharing", ["app": .text(appName), "organization": .text(organizationName)])
            case .renewedSharing(let appName, let organizationName):
                Sentence("account.renewedSharing", ["app": .text(appName), "organization": .text(organizationName)])
            }
        }

        static let all: [Notice] = [
            .nameChanged, .emailChanged, .passwordChanged, .signedOutElsewhere, .signedOutOthers, .forwardingOn,
            .forwardingOff, .deviceRemoved,
            .stoppedUsing(appName: ""), .stoppedSharing(appName: "", organizationName: ""),
            .renewedSharing(appName: "", organizationName: ""),
        ]
    }

    package let person: SignedInPerson
    package let account: AccountKind
    /// Nil for pupils without one.
    package let email: String?
    package let apps: [App]
    /// Apps that read the organization's roster; nil for people who do not decide about that.
    package let connectedApps: [ConnectedApp]?
    package let sessions: [Session]
    package let devices: [SignInDevice]
    package let hiddenAddresses: [HiddenAddress]
    package let now: Date
    package let notice: Notice?
    /// Leads to ``ChangePasswordPage``; nil if the person may not change it.
    package let changePasswordPath: String?
    /// Leads to ``SignInWaysPage``.
    package let signInWaysPath: String?
    /// Lead to ``EditNamePage``, ``ChangeEmailPage`` and ``DeleteAccountPage``; nil for managed accounts.
    package let editNamePath: String?
    package let changeEmailPath: String?
    package let deletePath: String?
    /// Leads to ``AddDevicePage``; nil for personal accounts, which no device signs in to.
    package let addDevicePath: String?
    /// Leads to the console of the organization; nil for people who look after nothing of it.
    package let consolePath: String?
    /// Leads to the developer portal; nil for people who are in no team and may not make one.
    package let portalPath: String?
    /// Ends all sessions but this one; nil if there are none. Posts without fields of its own.
    package let signOutOthers: Form?

    package init(
        person: SignedInPerson,
        account: AccountKind,
        email: String?,
        apps: [App],
        connectedApps: [ConnectedApp]? = nil,
        sessions: [Session],
        devices: [SignInDevice] = [],
        hiddenAddresses: [HiddenAddress] = [],
        now: Date,
        notice: Notice? = nil,
        changePasswordPath: String?,
        signInWaysPath: String? = nil,
        editNamePath: String? = nil,
        changeEmailPath: String? = nil,
        deletePath: String? = nil,
        addDevicePath: String? = nil,
        consolePath: String? = nil,
        portalPath: String? = nil,
        signOutOthers: Form? = nil
    ) {
        self.person = person
        self.account = account
        self.email = email
        self.apps = apps
        self.connectedApps = connectedApps
        self.sessions = sessions
        self.devices = devices
        self.hiddenAddresses = hiddenAddresses
        self.now = now
        self.notice = notice
        self.changePasswordPath = changePasswordPath
        self.signInWaysPath = signInWaysPath
        self.editNamePath = editNamePath
        self.changeEmailPath = changeEmailPath
        self.deletePath = deletePath
        self.addDevicePath = addDevicePath
        self.consolePath = consolePath
        self.portalPath = portalPath
        self.signOutOthers = signOutOthers
    }

    package var view: View {
        View(
            "account",
            heading: Sentence("account.heading"),
            content: [
                "notice": .sentence(ifAny: notice?.sentence),
                "person": .group(person.content),
                "email": .address(ifAny: email == person.userName ? nil : email),
                "isManaged": .flag(account.organization != nil),
                "organization": .text(ifAny: account.organization?.name),
                "hasApps": .flag(!apps.isEmpty),
                "apps": .list(apps.map(content(of:))),
                "hasConnectedApps": .flag(connectedApps?.isEmpty == false),
                "connectedApps": .group(ifAny: connectedApps.map(content(of:))),
                "hasDeviceSection": .flag(addDevicePath != nil || !devices.isEmpty),
                "hasDevices": .flag(!devices.isEmpty),
                "deviceCount": .count(devices.count),
                "signInDevices": .list(rows("device", devices.map(content(of:)))),
                "addDevicePath": .text(ifAny: addDevicePath),
                "hasAddresses": .flag(!hiddenAddresses.isEmpty),
                "addressCount": .count(hiddenAddresses.count),
                "addresses": .list(rows("address", hiddenAddresses.map(content(of:)))),
                "changePasswordPath": .text(ifAny: changePasswordPath),
                "signInWaysPath": .text(ifAny: signInWaysPath),
                "editNamePath": .text(ifAny: editNamePath),
                "changeEmailPath": .text(ifAny: changeEmailPath),
                "deletePath": .text(ifAny: deletePath),
                "consolePath": .text(ifAny: consolePath),
                "portalPath": .text(ifAny: portalPath),
            ].merging(sessionContent) { own, _ in own },
            owner: account.organization,
            isWide: true
        )
    }

    /// Adds ids for screen readers, since the button has the same words in every row.
    func rows(_ kind: String, _ rows: [Content]) -> [Content] {
        zip(1..., rows).map { number, row in row.merging(["row": .text("\(kind)-\(number)")]) { own, _ in own } }
    }

    private func content(of app: App) -> Content {
        [
            "badge": .group(app.app.badge.content),
            "appName": .text(app.app.name),
            "since": .sentence(Sentence("account.since", ["day": .day(app.since)])),
            "shared": .group(app.shared.content(for: app.app.name)),
            "stopPath": .text(app.stopPath),
            "stopLabel": .sentence(Sentence("account.stopUsing", ["app": .text(app.app.name)])),
        ]
    }

    private func content(of device: SignInDevice) -> Content {
        [
            "deviceName": .text(device.name.shown),
            "deviceUse": .sentence(
                device.usedAt.map { signedIn(at: $0) }
                    ?? Sentence("account.deviceAdded", ["day": .day(device.addedAt)])),
            "removeDevice": .group(device.remove.content),
        ]
    }

    private func content(of address: HiddenAddress) -> Content {
        [
            "address": .address(address.address),
            "addressTeam": .sentence(
                Sentence(
                    address.isForwarding ? "account.addressForwards" : "account.addressRests",
                    ["team": .text(address.teamName)])),
            "isForwarding": .flag(address.isForwarding),
            "toggle": .group(address.toggle.content),
        ]
    }

    static let sentences =
        Notice.all.map(\.sentence)
        + [
            Sentence("account.since"), Sentence("account.stopUsing"), Sentence("account.addressForwards"),
            Sentence("account.addressRests"),
            Sentence("account.deviceAdded"), Sentence("shared.nothing"),
        ] + sessionSentences + ConnectedApp.sentences
}
