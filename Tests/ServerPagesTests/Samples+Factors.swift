import Foundation

@testable import ServerPages

/// The pages for what people show besides a password, in every variant.
extension Samples {
    static let confirmPasskey = PasskeyForm(form: form, purpose: .confirm(["AQ", "Ag"]))
    static let newPasskey = PasskeyForm(
        form: form,
        purpose: .add(userHandle: "AQID", userName: "ana.ruiz", name: "Ana Ruiz", known: ["AQ"]))

    static let factorProblems: [FactorProblem] = [
        .wrongCode, .passkey, .passkeyKnown, .tooManyPasskeys(max: 10), .wrongPassword, .tooManyAttempts(minutes: 5),
        .busy,
    ]

    static func factor(
        _ field: FactorPage.Field = .oneTimeCode, passkey: PasskeyForm? = confirmPasskey,
        problem: FactorProblem? = nil, otherPath: String? = "/other"
    ) -> FactorPage {
        FactorPage(
            form: form, field: field, passkey: passkey, organization: organization, problem: problem,
            otherPath: otherPath, startAgainPath: "/sign-in")
    }

    static func confirm(_ field: ConfirmIdentityPage.Field, problem: FactorProblem? = nil) -> ConfirmIdentityPage {
        ConfirmIdentityPage(
            form: form, field: field, person: person(), account: managed, passkey: confirmPasskey, problem: problem,
            otherPath: "/other", switchAccount: form, cancelPath: "/account")
    }

    static func oneTimeCodes(_ reason: OneTimeCodesPage.Reason, problem: FactorProblem? = nil) -> OneTimeCodesPage {
        OneTimeCodesPage(
            form: form, address: "otpauth://totp/id.maple.example:ana.ruiz?secret=MZXW6YTBOI", secret: "MZXW6YTBOI",
            organization: organization, reason: reason, problem: problem)
    }

    static let recoveryCodes = RecoveryCodesPage(
        codes: (0..<10).map { "abcd-efgh-jkmn-\($0 + 2)pqr" }, host: "id.maple.example", userName: "ana.ruiz",
        organization: organization, continuePath: "/account")

    static let factorReminder = FactorReminderPage(
        organization: organization, dueDay: now, setUpPath: "/account/sign-in-ways", laterPath: "/account")

    static func signInWays(
        passkeys: Int = 2, hasOneTimeCodes: Bool = true, recoveryCodes: Int = 8,
        notice: SignInWaysPage.Notice? = nil, problem: FactorProblem? = nil
    ) -> SignInWaysPage {
        SignInWaysPage(
            account: managed,
            passkeys: (0..<passkeys).map { number in
                SignInWaysPage.Passkey(
                    name: ["My phone", "A key in the pocket"][number % 2],
                    addedAt: now.addingTimeInterval(-90 * 86_400),
                    usedAt: number == 0 ? now.addingTimeInterval(-7_200) : nil, isSynced: number == 0, remove: form)
            },
            addPasskey: newPasskey, hasOneTimeCodes: hasOneTimeCodes, setUpCodesPath: "/codes", removeCodes: form,
            recoveryCodes: recoveryCodes, renewRecoveryCodes: passkeys == 0 && !hasOneTimeCodes ? nil : form,
            changePasswordPath: "/password", accountPath: "/account", now: now, notice: notice, problem: problem)
    }

    static var factors: [any Page] {
        var pages: [any Page] = [
            factor(), factor(.recoveryCode), factor(passkey: nil, otherPath: nil), confirm(.password),
            confirm(.code(.oneTimeCode)), confirm(.code(.recoveryCode)),
            oneTimeCodes(.chosen(cancelPath: "/account")),
            oneTimeCodes(.required(newPasskey, startAgainPath: "/sign-in")),
            oneTimeCodes(.required(nil, startAgainPath: "/sign-in")), recoveryCodes, factorReminder, signInWays(),
            signInWays(passkeys: 0, hasOneTimeCodes: false, recoveryCodes: 0), signInWays(recoveryCodes: 1),
            SignInPage(form: form, passkey: PasskeyForm(form: form, purpose: .signIn)),
        ]
        pages += factorProblems.flatMap {
            [
                factor(problem: $0), confirm(.password, problem: $0),
                oneTimeCodes(.chosen(cancelPath: "/"), problem: $0), signInWays(problem: $0),
            ] as [any Page]
        }
        return pages + SignInWaysPage.Notice.allCases.map { signInWays(notice: $0) }
    }
}
