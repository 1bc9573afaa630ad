import ExtensionVault
import Ground
import KerberosProfile
import SingleSignOnExtension
import SingleSignOnWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SignIn {
    /// Gives the person's account on this computer the password that the realm has just accepted, where the profile wants that.
    /// docs/specifications/extensible-single-sign-on.md, 22.35.
    ///
    /// The sign-in or the change has ended well, and is saved; nothing that happens here takes that back.
    /// - Parameter old: the password that was in its place until now; nil if it was not changed.
    func syncLocalPassword(_ password: String, from old: String? = nil) async {
        guard settings.syncLocalPassword, !settings.performKerberosOnly else { return }
        if old == nil, isDeclined { return }
        do {
            var left = Duration.seconds(20)
            var outcome = try await set(password, from: old ?? password, &left)
            if outcome == .isSet, old != nil { await tell(hasChanged: true) }
            var problem: String?
            // Further wrong passwords could lock the account.
            for _ in 0..<3 where outcome == .wrongPassword {
                let field = PresentationForm.Field(Self.field, label: words("localPassword"), kind: .password)
                let text = words(old == nil ? "localDiffers" : "localDiffersChanged", ["realm": settings.realm])
                let form = PresentationForm(
                    title: words("localTitle"), text: text, problem: problem, fields: [field], submit: words("change"))
                guard let values = try await request.present(form) else {
                    await decline()
                    return writeToLog("the password of this computer stays another one than that of \(settings.realm)")
                }
                guard let typed = values[Self.field], !typed.isEmpty else {
                    problem = words("noPassword")
                    continue
                }
                outcome = try await set(password, from: typed, &left)
                if outcome == .isSet { return await tell(hasChanged: old != nil) }
                problem = words("localWrong")
            }
            if outcome == .wrongPassword { await decline() }
            // Nobody who signs in each morning has to read each morning what only an administrator can change.
            guard old != nil || problem != nil, let text = notice(outcome, hasChanged: old != nil) else { return }
            _ = try await request.present(
                PresentationForm(title: words("localTitle"), text: text, fields: [], submit: words("continue")))
        } catch {
            writeToLog("the password of this computer: \(error)")
        }
    }

    private static let field = "localPassword"

    /// - Parameter left: how long all attempts together may still take. The broker does not wait for ever.
    private func set(_ new: String, from old: String, _ left: inout Duration) async throws -> LocalPassword.Outcome {
        let (before, after, limit) = (Password(old), Password(new), left)
        let watch = Stopwatch()
        defer { left -= watch.elapsed }
        return try await desk.blocking { LocalPassword.set(from: before, to: after, within: limit) }
    }

    /// Whether the person has not said the computer's password at a sign-in of the last week.
    private var isDeclined: Bool {
        guard let last = desk.store.read(settings.realm)?.localPasswordDeclinedAt else { return false }
        return (0..<TimeInterval(7 * 86_400)).contains(desk.surroundings.now().timeIntervalSince(last))
    }

    private func decline() async {
        let now = desk.surroundings.now()
        await desk.update(settings.realm) { $0.localPasswordDeclinedAt = now }
    }

    /// - Parameter hasChanged: whether the realm's password was changed just now, and not only the computer's.
    private func tell(hasChanged: Bool) async {
        let realm = settings.realm
        try? await desk.blocking {
            SessionSignal.localPasswordSynced.tell(realm)
            if hasChanged { SessionSignal.passwordChangedWithSync.tell(realm) }
        }
    }

    /// - Returns: why the computer's password is not the realm's, and what to do; nil if it is, or is the domain's affair.
    private func notice(_ outcome: LocalPassword.Outcome, hasChanged: Bool) -> String? {
        let reason: String
        switch outcome {
        case .isSet, .isNotLocal: return nil
        case .isUnknown: return words(hasChanged ? "localUnknownChanged" : "localUnknown", ["realm": settings.realm])
        case .wrongPassword: reason = words("localWrongReason")
        case .isNotAllowed: reason = words("localNotAllowed")
        case .isTooLong: reason = words("localTooLong")
        case .refused(let said), .failed(let said): reason = words("localRefused", ["reason": said])
        }
        return words(hasChanged ? "localStaysChanged" : "localStays", ["realm": settings.realm, "reason": reason])
    }
}
