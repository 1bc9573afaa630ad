import Foundation
import Testing

@testable import ServerPages

/// Writes every page as a file, in every language, into the folder that LANYARD_GALLERY names: for the browser tests,
/// and for looking at. Served from there at "/", the pages find their assets.
@Suite struct Gallery {
    static let folder = ProcessInfo.processInfo.environment["LANYARD_GALLERY"]
        .map { URL(fileURLWithPath: $0, isDirectory: true) }

    @Test(
        "every page lies in the folder, in every language",
        .enabled(if: Gallery.folder != nil, "LANYARD_GALLERY names no folder"))
    func writes() throws {
        let folder = try #require(Self.folder)
        let pages = try Pages()
        try? FileManager.default.removeItem(at: folder)
        for asset in pages.assets {
            try Self.write(Data(asset.bytes), to: folder.appending(path: asset.path))
        }
        for language in Language.allCases {
            for (name, page) in Self.pages {
                let file = folder.appending(path: "\(language.rawValue)/\(name).html")
                // As it is sent, with the places where addresses may break.
                try Self.write(Data(pages.render(page, in: language, for: Samples.visit).utf8), to: file)
            }
        }
        let written = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
        #expect(written == ["assets", "en", "ja", "ko"])
    }

    private static func write(_ data: Data, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    /// By the names of their files.
    static var pages: [String: any Page] {
        let form = Samples.form
        var pages = signingIn.merging(account) { one, _ in one }
        pages["consent"] = Samples.consent()
        pages["not-shared"] = NotSharedPage(
            app: Samples.app(), organization: Samples.organization, reason: .appNotListed, back: form)
        pages["not-allowed"] = Samples.notAllowed(role: .instructor)
        pages["first-administrator"] = FirstAdministratorPage(form: form, organization: Samples.organization)
        pages["web-message"] = WebMessagePage(
            appName: "Quizzler", targetOrigin: "https://quizzler.example", message: "the answer")
        pages["signed-out"] = SignedOutPage(signInPath: "/")
        pages["error-expired"] = ErrorPage(.expired, requestID: "01JD8Y2K6M4Q", wayOn: .init(.startPage, path: "/"))
        pages["error-return-url"] = ErrorPage(
            .unregisteredReturnURL, requestID: "01JD8Y2K6M4Q",
            developerNote: "invalid_request: https://quizzler.example/cb is not a return URL of example.quizzler")
        pages["error-too-many"] = ErrorPage(.tooManyRequests, requestID: "01JD8Y2K6M4Q")
        pages["error-unavailable"] = ErrorPage(.unavailable, requestID: "01JD8Y2K6M4Q")
        pages["error-unreadable"] = ErrorPage(.unreadable, requestID: "01JD8Y2K6M4Q")
        let longName = String(repeating: "Bartholomew-", count: 42)
        pages["names-long"] = extremes(named: longName, givenName: longName)
        pages["names-long-ja"] = extremes(named: String(repeating: "長い名前の", count: 100), givenName: "長い")
        pages["names-arabic"] = extremes(named: "مدرسة القيقب للتعليم", givenName: "نادية")
        pages["names-script"] = extremes(named: "<script>alert('1')</script>", givenName: "\"><b>")
        pages["blocked-long"] = BlockedPage(
            app: RequestingApp(name: AppName(longName), clientID: "a", teamName: longName),
            organization: Badge(name: longName, id: "b", termsURL: "https://maple.example/terms"),
            person: SignedInPerson(name: longName, userName: longName, role: .student, id: "c"),
            contacts: [Contact(name: longName, email: "\(longName)@example", role: .administrator)], back: form,
            switchAccount: form)
        return pages
    }

    private static func extremes(named name: String, givenName: String) -> AccountCreationPage {
        AccountCreationPage(
            app: RequestingApp(name: AppName(name), clientID: name, teamName: name),
            person: SignedInPerson(name: name, userName: name, role: .personal, id: name),
            subject: .personal(
                name: .init(givenName: givenName, familyName: name), email: .init(address: name, canHide: true)),
            decision: Samples.form, switchAccount: Samples.form)
    }

    private static var signingIn: [String: any Page] {
        let form = Samples.form
        let toQuizzler = SignInPage.Purpose.signingIn(to: Samples.app())
        let maple = Samples.organization
        return [
            "sign-in": SignInPage(
                form: form, purpose: toQuizzler, signUpPath: "/sign-up", forgotPasswordPath: "/forgot", cancel: form),
            "sign-in-wrong": SignInPage(
                form: form, purpose: toQuizzler, userName: "nadia", problem: .wrongPassword, signUpPath: "/sign-up",
                forgotPasswordPath: "/forgot", cancel: form),
            "sign-in-school": SignInPage(form: form, organization: maple),
            "sign-in-school-app": SignInPage(form: form, purpose: toQuizzler, organization: maple, cancel: form),
            "sign-in-device": SignInPage(
                form: form, purpose: .device(Samples.slack),
                organization: Badge(
                    name: "Saint Bartholomew’s Church of England Voluntary Aided Primary School", id: "s", tone: .plum),
                signUpPath: "/sign-up"),
            "sign-in-too-many": SignInPage(form: form, userName: "nadia", problem: .tooManyAttempts(minutes: 5)),
            "sign-in-connect": SignInPage(form: form, purpose: .connecting(Samples.app()), organization: maple),
            "sign-up": SignUpPage(form: form, app: Samples.app(), signInPath: "/"),
            "sign-up-wrong": SignUpPage(
                form: form, app: Samples.app(), givenName: "Nadia", email: "nadia",
                problems: [.familyNameMissing, .emailMissing, .password(.doesNotFit)], signInPath: "/"),
            "verify": Samples.verify(.signUp, isSentAgain: true),
            "verify-wrong": Samples.verify(.resetPassword, problem: .wrongCode(attemptsLeft: 4)),
            "forgot-password": ForgotPasswordPage(form: form, signInPath: "/"),
            "new-password": NewPasswordPage(form: form, userName: "nadia@mail.example"),
            "change-password": ChangePasswordPage(
                form: form, person: Samples.fatima, account: Samples.managed, policy: .fourDigits,
                reason: .temporary(switchAccount: form)),
            "welcome-personal": Samples.welcome(
                .personal, Samples.nadia, SharedWithApp(name: "Nadia Silva", email: .hidden(Samples.hidden))),
            "welcome-managed": Samples.welcome(
                Samples.managed, Samples.chen,
                SharedWithApp(name: "Chen Wei", email: .own("chen.wei@maple.example"))),
            "welcome-nothing": Samples.welcome(.personal, Samples.nadia, SharedWithApp(name: nil, email: nil)),
            "creation-personal": Samples.creation(
                Samples.nadia, .personal(name: Samples.editableName, email: Samples.email())),
            "creation-personal-wrong": Samples.creation(
                Samples.nadia, .personal(name: Samples.editableName, email: Samples.email()),
                problems: [.emailChoiceMissing]),
            "creation-personal-no-relay": Samples.creation(
                Samples.nadia, .personal(name: Samples.editableName, email: Samples.email(canHide: false))),
            "creation-managed": Samples.creation(
                Samples.chen,
                .managed(
                    organization: maple,
                    shared: SharedWithApp(name: "Chen Wei", email: .own("chen.wei@maple.example")))),
            "creation-pupil": Samples.creation(
                Samples.fatima,
                .managed(organization: maple, shared: SharedWithApp(name: "Fatima Silva", email: nil))),
            "blocked": Samples.blocked(),
            "blocked-no-contacts": Samples.blocked(contacts: []),
            "device-code": DeviceCodePage(form: form, userCode: "WDJB-MJHX", problem: .unknownCode),
            "device-approval": Samples.approval,
            "device-done": DeviceDonePage(.allowed, appName: "Slack"),
            "device-denied": DeviceDonePage(.denied, appName: "Slack"),
            "terminal-approval": Samples.terminalApproval,
            "terminal-done": TerminalDonePage(.allowed),
            "sign-in-passkey": SignInPage(
                form: form, organization: maple, passkey: PasskeyForm(form: form, purpose: .signIn)),
            "factor": Samples.factor(),
            "factor-wrong": Samples.factor(problem: .wrongCode),
            "factor-recovery": Samples.factor(.recoveryCode, problem: .passkey),
            "factor-set-up": Samples.oneTimeCodes(.required(Samples.newPasskey, startAgainPath: "/")),
            "factor-reminder": Samples.factorReminder,
            "recovery-codes": Samples.recoveryCodes,
            "confirm": Samples.confirm(.password),
            "confirm-code": Samples.confirm(.code(.oneTimeCode), problem: .tooManyAttempts(minutes: 5)),
            "sign-out": SignOutConfirmPage(
                app: Samples.slack, person: Samples.nadia, account: .personal, decision: form),
        ]
    }

    private static var account: [String: any Page] {
        let form = Samples.form
        let shared = SharedWithApp(name: "Chen Wei", email: .own("chen.wei@maple.example"))
        return [
            "account-personal": Samples.personalAccount(notice: .stoppedUsing(appName: "Notes")),
            "account-parent": Samples.personalAccount(appCount: 3),
            "account-managed": Samples.managedAccount(
                apps: ["Quizzler", "Slack", "Atlas"].map { Samples.accountApp($0, daysAgo: 40, shared) }),
            "account-administrator": Samples.administratorAccount(),
            "account-administrator-new": Samples.administratorAccount(connected: []),
            "stop-sharing": Samples.stopSharing(),
            "renew-sharing": Samples.renewSharing(),
            "next-steps": NextStepsPage(
                organization: Samples.organization, userName: "ana.ruiz@maple.example", consolePath: "/"),
            "account-new": Samples.managedAccount(apps: []),
            "stop-using": StopUsingPage(
                app: Samples.slack, account: .personal, hiddenAddress: Samples.hidden, form: form, cancelPath: "/"),
            "edit-name": EditNamePage(form: form, givenName: "Nadia", familyName: "Silva", cancelPath: "/"),
            "change-email": ChangeEmailPage(
                form: form, currentEmail: "nadia@mail.example", problem: .wrongPassword, cancelPath: "/"),
            "change-password-chosen": ChangePasswordPage(
                form: form, person: Samples.nadia, account: .personal, policy: .standard,
                reason: .chosen(cancelPath: "/")),
            "add-device": AddDevicePage(
                form: form, owner: Samples.organization, problem: .wrongPassword, cancelPath: "/"),
            "add-device-too-many": AddDevicePage(
                form: form, owner: Samples.organization, problem: .tooManyDevices(max: 10), cancelPath: "/"),
            "device-registration": DeviceRegistrationPage(
                code: "WDJB-MJHT-KPQR", minutes: 15, owner: Samples.organization, accountPath: "/"),
            "account-no-devices": AccountPage(
                person: Samples.chen, account: Samples.managed, email: nil, apps: [], sessions: Samples.sessions,
                now: Samples.now, changePasswordPath: "/", addDevicePath: "/"),
            "sign-in-ways": Samples.signInWays(notice: .passkeyAdded),
            "sign-in-ways-none": Samples.signInWays(passkeys: 0, hasOneTimeCodes: false, recoveryCodes: 0),
            "one-time-codes": Samples.oneTimeCodes(.chosen(cancelPath: "/"), problem: .wrongCode),
            "delete-account": DeleteAccountPage(
                form: form, email: "nadia@mail.example", appCount: 4, confirmation: "nadia", problem: .doesNotMatch,
                cancelPath: "/"),
        ]
    }
}
