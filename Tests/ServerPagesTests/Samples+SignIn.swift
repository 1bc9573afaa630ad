import Foundation

@testable import ServerPages

/// The pages of sign-in, sign-up and of the account, in every variant.
extension Samples {
    static let slack = RequestingApp(
        name: "Slack", clientID: "example.slack", teamName: "Slack Example", destination: .host("slack.example"))
    static let program = RequestingApp(
        name: "Menu", clientID: "example.menu", teamName: "Burgers Example", destination: .thisDevice)
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let nadia = SignedInPerson(
        name: "Nadia Silva", userName: "nadia@mail.example", role: .personal, id: "person-2"
    )
    static let chen = SignedInPerson(
        name: "Chen Wei", userName: "chen.wei@maple.example", role: .instructor, id: "person-3"
    )
    static let fatima = SignedInPerson(name: "Fatima Silva", userName: "fatima.silva", role: .student, id: "person-4")
    static let hidden = "k3vq8mzx2p@relay.lanyard.example"
    static let managed = AccountKind.managed(organization: organization)

    static var signIn: [any Page] {
        let purposes: [SignInPage.Purpose] = [
            .account, .connecting(app()), .signingIn(to: app()), .signingIn(to: slack), .signingIn(to: program),
            .device(app()),
        ]
        var pages: [any Page] = purposes.map { SignInPage(form: form, purpose: $0) }
        pages.append(
            SignInPage(
                form: form, purpose: .signingIn(to: app()), signUpPath: "/sign-up", forgotPasswordPath: "/forgot",
                ticketAddress: "https://id.school.example/sign-in/ticket", cancel: form
            ))
        for takesPersonal in [false, true] {
            pages.append(
                SignInPage(
                    form: form, purpose: .signingIn(to: app()), organization: organization,
                    takesPersonal: takesPersonal))
        }
        pages += SignInPage.Problem.all.map { SignInPage(form: form, userName: "ana.ruiz", problem: $0) }
        let reasons: [ChangePasswordPage.Reason] = [.temporary(switchAccount: form), .chosen(cancelPath: "/account")]
        for reason in reasons {
            pages += PasswordRule.allCases.map {
                ChangePasswordPage(form: form, person: chen, account: managed, policy: $0, reason: reason)
            }
            pages += PasswordRule.allCases.map {
                ChangePasswordPage(
                    form: form, person: chen, account: managed, policy: $0, reason: reason,
                    problem: .refused(.doesNotFit)
                )
            }
            let problems: [ChangePasswordPage.Problem] = [
                .refused(.common), .refused(.personal), .refused(.repetitive), .sameAsTemporary, .unchanged,
                .wrongCurrentPassword, .tooManyAttempts(minutes: 1),
            ]
            pages += problems.map {
                ChangePasswordPage(
                    form: form, person: chen, account: managed, policy: .standard, reason: reason, problem: $0
                )
            }
        }
        pages.append(SignOutConfirmPage(app: slack, person: nadia, account: .personal, decision: form))
        pages.append(SignOutConfirmPage(app: nil, person: chen, account: managed, decision: form))
        return pages
    }

    static var signUp: [any Page] {
        var pages: [any Page] = [
            SignUpPage(form: form, signInPath: "/sign-in"),
            SignUpPage(
                form: form, app: app(), givenName: "Nadia", familyName: "Silva", email: "nadia",
                problems: [.emailMissing, .password(.common)], signInPath: "/sign-in"
            ),
            SignUpPage(
                form: form, problems: [.givenNameMissing, .familyNameMissing, .tooManyAttempts(minutes: 5)],
                signInPath: "/sign-in"
            ),
            SignUpPage(
                form: form, email: "nadia@maple.example", problems: [.emailOfOrganization], signInPath: "/sign-in"
            ),
            ForgotPasswordPage(form: form, signInPath: "/sign-in"),
            ForgotPasswordPage(form: form, email: "nadia", problem: .emailMissing, signInPath: "/sign-in"),
            ForgotPasswordPage(form: form, problem: .tooManyAttempts(minutes: 5), signInPath: "/sign-in"),
            NewPasswordPage(form: form, userName: "nadia@mail.example"),
            NewPasswordPage(form: form, userName: "nadia@mail.example", problem: .refused(.doesNotFit)),
        ]
        pages += VerifyEmailPage.Purpose.allCases.map { verify($0) }
        let problems: [VerifyEmailPage.Problem] = [
            .wrongCode(attemptsLeft: 4), .wrongCode(attemptsLeft: 1), .expired, .tooManyAttempts(minutes: 5),
        ]
        pages += problems.map { verify(.signUp, problem: $0) }
        pages.append(verify(.signUp, isSentAgain: true))
        return pages
    }

    static func verify(
        _ purpose: VerifyEmailPage.Purpose, problem: VerifyEmailPage.Problem? = nil, isSentAgain: Bool = false
    ) -> VerifyEmailPage {
        VerifyEmailPage(
            form: form, purpose: purpose, email: "nadia@mail.example", problem: problem, sendAgain: form,
            isSentAgain: isSentAgain, startAgainPath: "/sign-up"
        )
    }

    static func welcome(
        _ account: AccountKind, _ person: SignedInPerson, _ shared: SharedWithApp
    ) -> WelcomePage {
        WelcomePage(
            app: slack, account: account, person: person, shared: shared, decision: form, switchAccount: form
        )
    }

    static func creation(
        _ person: SignedInPerson, _ subject: AccountCreationPage.Subject,
        problems: Set<AccountCreationPage.Problem> = []
    ) -> AccountCreationPage {
        AccountCreationPage(
            app: slack, person: person, subject: subject, problems: problems, decision: form, switchAccount: form
        )
    }

    static let editableName = AccountCreationPage.EditableName(givenName: "Nadia", familyName: "Silva")

    static func email(
        canHide: Bool = true, chosen: AccountCreationPage.EmailChoice? = nil
    ) -> AccountCreationPage.EditableEmail {
        AccountCreationPage.EditableEmail(address: "nadia@mail.example", canHide: canHide, chosen: chosen)
    }

    static func blocked(
        contacts: [Contact] = Samples.contacts,
        back: Form? = form
    ) -> BlockedPage {
        BlockedPage(
            app: slack, organization: organization, person: chen, contacts: contacts, back: back, switchAccount: form
        )
    }

    static var welcome: [any Page] {
        [
            welcome(.personal, nadia, SharedWithApp(name: "Nadia Silva", email: .hidden(hidden))),
            welcome(.personal, nadia, SharedWithApp(name: "Nadia Silva", email: .hiddenAnew)),
            welcome(.personal, nadia, SharedWithApp(name: nil, email: .own("nadia@mail.example"))),
            welcome(managed, chen, SharedWithApp(name: "Chen Wei", email: .own("chen.wei@maple.example"))),
            welcome(
                managed, chen,
                SharedWithApp(name: nil, email: nil, roles: [.student, .instructor], grade: "10. Klasse / 高校1年")),
            welcome(managed, fatima, SharedWithApp(name: "Fatima Silva", email: nil)),
            welcome(managed, fatima, SharedWithApp(name: nil, email: nil)),
            creation(nadia, .personal(name: editableName, email: email())),
            creation(
                nadia, .personal(name: editableName, email: email(chosen: .hide)), problems: [.givenNameMissing]
            ),
            creation(
                nadia, .personal(name: editableName, email: email()),
                problems: [.familyNameMissing, .emailChoiceMissing]
            ),
            creation(nadia, .personal(name: nil, email: email()), problems: [.emailChoiceMissing]),
            creation(nadia, .personal(name: editableName, email: email(canHide: false))),
            creation(nadia, .personal(name: nil, email: nil)),
            creation(
                chen,
                .managed(
                    organization: organization,
                    shared: SharedWithApp(name: "Chen Wei", email: .own("chen.wei@maple.example")))
            ),
            creation(
                fatima,
                .managed(organization: organization, shared: SharedWithApp(name: "Fatima Silva", email: nil))
            ),
            blocked(),
            blocked(contacts: [], back: nil),
        ]
    }

    static var approval: DeviceApprovalPage {
        DeviceApprovalPage(
            app: slack, account: .personal, person: nadia,
            shared: SharedWithApp(name: "Nadia Silva", email: .hidden(hidden)), userCode: "WDJB-MJHT",
            decision: form, switchAccount: form
        )
    }

    static var device: [any Page] {
        let pages: [any Page] = [
            DeviceCodePage(form: form),
            DeviceCodePage(form: form, userCode: "WDJB-MJHX", problem: .unknownCode),
            DeviceCodePage(form: form, problem: .tooManyAttempts(minutes: 5)),
            approval,
            DeviceApprovalPage(
                app: slack, account: managed, person: chen, shared: SharedWithApp(name: "Chen Wei", email: nil),
                userCode: "WDJB-MJHT", decision: form, switchAccount: form
            ),
        ]
        return pages + DeviceDonePage.Outcome.allCases.map { DeviceDonePage($0, appName: "Slack") }
            + [terminalApproval, developersTerminalApproval]
            + TerminalDonePage.Outcome.allCases.map { TerminalDonePage($0) }
    }

    static var terminalApproval: TerminalApprovalPage {
        TerminalApprovalPage(
            organization: organization, person: chen, userCode: "WDJB-MJHT", program: "lanyard on office-pc",
            address: "203.0.113.7", rights: TerminalApprovalPage.Right.allCases, decision: form)
    }

    /// For somebody who looks after teams of app developers, and no organization.
    static var developersTerminalApproval: TerminalApprovalPage {
        TerminalApprovalPage(
            organization: nil, person: nadia, userCode: "WDJB-MJHT", program: "lanyard on office-pc", address: nil,
            rights: [.joinTeams, .manageTeams, .manageApps], decision: form)
    }

    /// A parent with four apps, two sessions and two hidden addresses.
    static func personalAccount(notice: AccountPage.Notice? = nil, appCount: Int = 4) -> AccountPage {
        AccountPage(
            person: nadia, account: .personal, email: "nadia@mail.example",
            apps: Array(
                [
                    accountApp("Quizzler", daysAgo: 200, SharedWithApp(name: "Nadia Silva", email: .hidden(hidden))),
                    accountApp("Slack", daysAgo: 90, SharedWithApp(name: nil, email: .own("nadia@mail.example"))),
                    accountApp("Burgers & Tacos", daysAgo: 12, SharedWithApp(name: nil, email: nil)),
                    accountApp("Ledger", daysAgo: 1, SharedWithApp(name: "Nadia Silva", email: nil)),
                ].prefix(appCount)),
            sessions: sessions,
            hiddenAddresses: [
                .init(address: hidden, teamName: "Bright Lamp Learning", isForwarding: true, toggle: form),
                .init(
                    address: "a7wd0x4rnb@relay.lanyard.example", teamName: "Ledger Works", isForwarding: false,
                    toggle: form),
            ],
            now: now, notice: notice, changePasswordPath: "/account/password", editNamePath: "/account/name",
            changeEmailPath: "/account/email", deletePath: "/account/delete", signOutOthers: form
        )
    }

    static func managedAccount(apps: [AccountPage.App]) -> AccountPage {
        AccountPage(
            person: chen, account: managed, email: "chen@staff.maple.example", apps: apps, sessions: sessions,
            devices: devices, now: now, changePasswordPath: nil, addDevicePath: "/account/devices/add"
        )
    }

    /// Somebody who decides what apps read about the district, and signs in in many rooms.
    static func administratorAccount(connected: [AccountPage.ConnectedApp] = connected) -> AccountPage {
        AccountPage(
            person: person(), account: managed, email: "ana.ruiz@staff.maple.example", apps: [],
            connectedApps: connected,
            sessions: sessions + [
                .init(
                    device: Device(browser: "Chrome", system: "Linux"), signedInAt: now.addingTimeInterval(-600),
                    usedAt: now.addingTimeInterval(-120), count: 15, isCurrent: false, signOut: form),
                .init(
                    device: Device(browser: "Safari", system: "iPad"), signedInAt: now.addingTimeInterval(-9_000),
                    usedAt: now.addingTimeInterval(-5_000), isCurrent: false, signOut: form),
            ],
            now: now, changePasswordPath: "/account/password", addDevicePath: "/account/devices/add",
            consolePath: "/manager", portalPath: "/developer",
            signOutOthers: form)
    }

    static var connected: [AccountPage.ConnectedApp] {
        [
            .init(
                app(), scopes: [.users, .classes], allowedBy: "Ana Ruiz", allowedAt: now.addingTimeInterval(-8_000_000),
                lastReadAt: now.addingTimeInterval(-7_300), mayRead: true, lastDay: now.addingTimeInterval(2_600_000),
                renewPath: "/account/connected-apps/1/renew", stopPath: "/account/connected-apps/1/stop"),
            .init(
                slack, scopes: [.users], allowedBy: "Priya Raman", allowedAt: now.addingTimeInterval(-600_000),
                lastReadAt: nil, mayRead: true, stopPath: "/account/connected-apps/2/stop"),
            .init(
                RequestingApp(name: "Ledger", clientID: "example.ledger", teamName: "Ledger Works"),
                scopes: [.classes], allowedBy: "Ana Ruiz", allowedAt: now, lastReadAt: now.addingTimeInterval(-90_000),
                mayRead: false, stopPath: "/account/connected-apps/3/stop"),
        ]
    }

    static func stopSharing(
        scopes: Set<ConsentScope> = [.users, .classes], isTold: Bool = true
    ) -> StopSharingPage {
        StopSharingPage(
            app: app(), organization: organization, scopes: scopes, people: 2_104, classes: 312, isTold: isTold,
            form: form, cancelPath: "/account")
    }

    static func renewSharing(scopes: Set<ConsentScope> = [.users, .classes]) -> RenewSharingPage {
        RenewSharingPage(
            app: app(), organization: organization, scopes: scopes, people: 2_104, classes: 312,
            lastDay: now.addingTimeInterval(2_600_000), renewedLastDay: now.addingTimeInterval(34_136_000),
            form: form, cancelPath: "/account")
    }

    /// One that signs in, and one that was just added.
    static var devices: [AccountPage.SignInDevice] {
        [
            .init(
                name: "Room 12", addedAt: now.addingTimeInterval(-60), usedAt: nil, remove: form),
            .init(
                name: "chen-thinkpad", addedAt: now.addingTimeInterval(-86_400 * 30),
                usedAt: now.addingTimeInterval(-240), remove: form),
        ]
    }

    static func accountApp(_ name: String, daysAgo: Int, _ shared: SharedWithApp) -> AccountPage.App {
        AccountPage.App(
            RequestingApp(
                name: AppName(name), clientID: "example.\(name.lowercased())", teamName: "Bright Lamp Learning"),
            since: now.addingTimeInterval(-86_400 * Double(daysAgo)), shared: shared, stopPath: "/account/apps/1/stop"
        )
    }

    static var sessions: [AccountPage.Session] {
        [
            .init(
                device: Device(browser: "Firefox", system: "Windows"), signedInAt: now, isCurrent: true, signOut: form
            ),
            .init(
                device: Device(browser: nil, system: "iPhone"), signedInAt: now.addingTimeInterval(-7_300),
                isCurrent: false, signOut: form),
        ]
    }

    static var account: [any Page] {
        let pages: [any Page] = [
            personalAccount(),
            managedAccount(apps: []),
            managedAccount(apps: [
                accountApp(
                    "Quizzler", daysAgo: 30,
                    SharedWithApp(name: "Chen Wei", email: .own("chen.wei@maple.example")))
            ]),
            AccountPage(
                person: fatima, account: managed, email: nil, apps: [],
                sessions: [
                    .init(
                        device: Device(userAgent: nil), signedInAt: now.addingTimeInterval(-300), isCurrent: true,
                        signOut: form),
                    .init(
                        device: Device(userAgent: nil), signedInAt: now.addingTimeInterval(-300_000), isCurrent: false,
                        signOut: form),
                ],
                now: now, changePasswordPath: "/account/password", addDevicePath: "/account/devices/add"
            ),
            DeviceRegistrationPage(code: "WDJB-MJHT-KPQR", minutes: 15, owner: organization, accountPath: "/account"),
            StopUsingPage(
                app: slack, account: .personal, hiddenAddress: hidden, form: form, cancelPath: "/account"
            ),
            administratorAccount(),
            administratorAccount(connected: []),
            stopSharing(),
            stopSharing(scopes: [.users], isTold: false),
            stopSharing(scopes: [.classes]),
            renewSharing(),
            renewSharing(scopes: [.users]),
            renewSharing(scopes: [.classes]),
            NextStepsPage(organization: organization, userName: "ana.ruiz@maple.example", consolePath: "/account"),
            StopUsingPage(app: slack, account: managed, hiddenAddress: nil, form: form, cancelPath: "/account"),
            EditNamePage(form: form, givenName: "Nadia", familyName: "Silva", cancelPath: "/account"),
            EditNamePage(
                form: form, givenName: "", familyName: "", problems: [.givenNameMissing, .familyNameMissing],
                cancelPath: "/account"
            ),
            DeleteAccountPage(form: form, email: "nadia@mail.example", appCount: 4, cancelPath: "/account"),
            DeleteAccountPage(form: form, email: "nadia@mail.example", appCount: 1, cancelPath: "/account"),
            DeleteAccountPage(
                form: form, email: "nadia@mail.example", appCount: 0, confirmation: "nadia", problem: .doesNotMatch,
                cancelPath: "/account"
            ),
            DeleteAccountPage(
                form: form, email: "nadia@mail.example", appCount: 1, confirmation: "nadia@mail.example",
                problem: .wrongPassword, cancelPath: "/account"
            ),
            DeleteAccountPage(
                form: form, email: "nadia@mail.example", appCount: 1, confirmation: "nadia@mail.example",
                problem: .tooManyAttempts(minutes: 5), cancelPath: "/account"
            ),
        ]
        let deviceProblems: [AddDevicePage.Problem?] = [
            nil, .wrongPassword, .tooManyAttempts(minutes: 5), .busy, .tooManyDevices(max: 10),
        ]
        let emailProblems: [ChangeEmailPage.Problem?] = [
            nil, .emailMissing, .emailOfOrganization, .unchanged, .wrongPassword, .tooManyAttempts(minutes: 5),
        ]
        return pages + AccountPage.Notice.all.map { personalAccount(notice: $0) }
            + deviceProblems.map { AddDevicePage(form: form, owner: organization, problem: $0, cancelPath: "/account") }
            + emailProblems.map {
                ChangeEmailPage(
                    form: form, currentEmail: "nadia@mail.example", problem: $0, cancelPath: "/account"
                )
            }
    }
}
