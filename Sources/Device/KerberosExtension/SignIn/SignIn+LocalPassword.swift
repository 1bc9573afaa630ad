import ExtensionVault
import KerberosProfile
import SingleSignOnExtension
import SingleSignOnWire

extension SignIn {
    /// Gives the person's account on this computer the password that the realm has just accepted, where the profile wants that.
    /// docs/specifications/extensible-single-sign-on.md, 22.35.
    ///
    /// The sign-in or the change has ended well, and is saved; nothing that happens here takes that back.
    /// - Parameter old: the password that was in its place until now; nil if it was not changed.
    func syncLocalPassword(_ password: String, from old: String? = nil) async {
        guard settings.syncLocalPassword, !settings.performKerberosOnly else { return }
        do {
            var outcome = try await set(password, from: old ?? password)
            if outcome == .wrongPassword, old != nil {
                // Perhaps it is the new one already.
                outcome = try await set(password, from: password)
            } else if outcome == .isSet, old != nil {
                await tell()
            }
            var problem: String?
            while outcome == .wrongPassword {
                let field = PresentationForm.Field(Self.field, label: words("localPassword"), kind: .password)
                let text = words(old == nil ? "localDiffers" : "localDiffersChanged", ["realm": settings.realm])
                let form = PresentationForm(
                    title: words("localTitle"), text: text, problem: problem, fields: [field], submit: words("change"))
                guard let values = try await request.present(form) else {
                    return writeToLog("the password of this computer stays another one than that of \(settings.realm)")
                }
                guard let typed = values[Self.field], !typed.isEmpty else {
                    problem = words("noPassword")
                    continue
                }
                outcome = try await set(password, from: typed)
                if outcome == .isSet { return await tell() }
                problem = words("localWrong")
            }
            // Nobody who signs in each morning has to read each morning what only an administrator can change.
            guard old != nil || problem != nil, let reason = reason(outcome) else { return }
            let key = old == nil ? "localStays" : "localStaysChanged"
            let text = words(key, ["realm": settings.realm, "reason": reason])
            _ = try await request.present(
                PresentationForm(title: words("localTitle"), text: text, fields: [], submit: words("continue")))
        } catch {
            writeToLog("the password of this computer: \(error)")
        }
    }

    private static let field = "localPassword"

    private func set(_ new: String, from old: String) async throws -> LocalPassword.Outcome {
        let (before, after) = (Password(old), Password(new))
        return try await desk.blocking { LocalPassword.set(from: before, to: after) }
    }

    private func tell() async {
        let realm = settings.realm
        try? await desk.blocking { SessionSignal.localPasswordSynced.tell(realm) }
    }

    /// - Returns: why the computer's password is not the realm's; nil if it is, or is the domain's affair.
    private func reason(_ outcome: LocalPassword.Outcome) -> String? {
        switch outcome {
        case .isSet, .wrongPassword, .isNotLocal: nil
        case .isNotAllowed: words("localNotAllowed")
        case .refused(let reason), .failed(let reason): words("localRefused", ["reason": reason])
        }
    }
}
