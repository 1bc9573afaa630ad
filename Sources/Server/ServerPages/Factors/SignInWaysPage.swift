import Foundation

/// The ways in which the person signs in: password, passkeys, one-time codes, recovery codes.
package struct SignInWaysPage: Page {
    package struct Passkey: Sendable {
        package let name: String
        package let addedAt: Date
        package let usedAt: Date?
        /// Whether it may be on several devices of the person.
        package let isSynced: Bool
        /// Posts without fields of its own.
        package let remove: Form

        package init(name: String, addedAt: Date, usedAt: Date?, isSynced: Bool, remove: Form) {
            self.name = name
            self.addedAt = addedAt
            self.usedAt = usedAt
            self.isSynced = isSynced
            self.remove = remove
        }
    }

    /// What has just been done; shown once at the top.
    package enum Notice: String, CaseIterable, Sendable {
        case passkeyAdded, passkeyRemoved, codesRemoved

        var sentence: Sentence { Sentence("factor.\(rawValue)") }
    }

    package let account: AccountKind
    package let passkeys: [Passkey]
    /// Nil where browsers have no passkeys, or the person has as many as they can.
    package let addPasskey: PasskeyForm?
    package let hasOneTimeCodes: Bool
    package let setUpCodesPath: String
    /// Posts without fields of its own.
    package let removeCodes: Form
    /// How many are left.
    package let recoveryCodes: Int
    /// Makes new ones; nil without a second factor. Posts without fields of its own.
    package let renewRecoveryCodes: Form?
    package let changePasswordPath: String
    package let accountPath: String
    package let now: Date
    package let notice: Notice?
    package let problem: FactorProblem?

    package init(
        account: AccountKind, passkeys: [Passkey], addPasskey: PasskeyForm?, hasOneTimeCodes: Bool,
        setUpCodesPath: String, removeCodes: Form, recoveryCodes: Int, renewRecoveryCodes: Form?,
        changePasswordPath: String, accountPath: String, now: Date, notice: Notice? = nil,
        problem: FactorProblem? = nil
    ) {
        self.account = account
        self.passkeys = passkeys
        self.addPasskey = addPasskey
        self.hasOneTimeCodes = hasOneTimeCodes
        self.setUpCodesPath = setUpCodesPath
        self.removeCodes = removeCodes
        self.recoveryCodes = recoveryCodes
        self.renewRecoveryCodes = renewRecoveryCodes
        self.changePasswordPath = changePasswordPath
        self.accountPath = accountPath
        self.now = now
        self.notice = notice
        self.problem = problem
    }

    package var view: View {
        View(
            "sign-in-ways", heading: Sentence("factor.waysHeading"),
            content: [
                "notice": .sentence(ifAny: notice?.sentence),
                "problem": .sentence(ifAny: problem?.message),
                "hasPasskeys": .flag(!passkeys.isEmpty),
                "passkeys": .list(zip(1..., passkeys).map(content(of:_:))),
                "passkey": .group(ifAny: addPasskey?.content),
                "hasPasskeySection": .flag(addPasskey != nil || !passkeys.isEmpty),
                "hasOneTimeCodes": .flag(hasOneTimeCodes),
                "setUpCodesPath": .text(setUpCodesPath),
                "removeCodes": .group(removeCodes.content),
                "recoveryLeft": .sentence(Sentence("factor.recoveryLeft", ["codes": .count(recoveryCodes)])),
                "renewRecoveryCodes": .group(ifAny: renewRecoveryCodes?.content),
                "changePasswordPath": .text(changePasswordPath),
                "accountPath": .text(accountPath),
            ],
            owner: account.organization)
    }

    private func content(of number: Int, _ passkey: Passkey) -> Content {
        [
            "row": .text("passkey-\(number)"),
            "passkeyName": .text(passkey.name.shown),
            "isSynced": .flag(passkey.isSynced),
            "passkeyUse": .sentence(
                passkey.usedAt.map { .since($0, at: now, saying: "account.signedIn") }
                    ?? Sentence("account.deviceAdded", ["day": .day(passkey.addedAt)])),
            "removePasskey": .group(passkey.remove.content),
        ]
    }

    static let sentences = Notice.allCases.map(\.sentence) + [Sentence("factor.recoveryLeft")]
}
