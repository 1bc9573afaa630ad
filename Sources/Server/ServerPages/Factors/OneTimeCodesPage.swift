/// Set up one-time codes: a picture for a phone's camera, the same secret as text, and a field for the first code. Posts
/// `code`. For a person who must set up a second factor before going on, a passkey can be made instead.
package struct OneTimeCodesPage: Page {
    package enum Reason: Sendable {
        case chosen(cancelPath: String)
        /// The organization requires it; `startAgainPath` leads back to the sign-in page.
        case required(PasskeyForm?, startAgainPath: String)
    }

    package let form: Form
    /// The `otpauth` address that the picture shows.
    package let address: String
    /// The secret as people type it: letters and digits.
    package let secret: String
    package let organization: Badge?
    package let reason: Reason
    package let problem: FactorProblem?

    package init(
        form: Form, address: String, secret: String, organization: Badge?, reason: Reason, problem: FactorProblem? = nil
    ) {
        self.form = form
        self.address = address
        self.secret = secret
        self.organization = organization
        self.reason = reason
        self.problem = problem
    }

    package var view: View {
        let picture = QRCode(address)
        let (isRequired, passkey, backPath, back): (Bool, PasskeyForm?, String, String) =
            switch reason {
            case .chosen(let path): (false, nil, path, "form.cancel")
            case .required(let form, let path): (true, form, path, "factor.startAgain")
            }
        var field = Field.oneTimeCode(problem)
        field.isLast = true
        return View(
            "one-time-codes", heading: Sentence(isRequired ? "factor.requiredHeading" : "factor.codesHeading"),
            content: [
                "lead": .sentence(Sentence(isRequired ? "factor.requiredLead" : "factor.codesLead")),
                "problem": .sentence(ifAny: problem?.message),
                "picturePath": .text(picture?.path ?? ""),
                "pictureSize": .count(picture?.size ?? 0),
                "hasPicture": .flag(picture != nil),
                "address": .text(address),
                "secret": .text(secret.inGroups),
                "form": .group(form.content),
                "field": .group(field.content),
                "passkey": .group(ifAny: passkey?.content),
                "backPath": .text(backPath),
                "backLabel": .sentence(Sentence(back)),
            ],
            owner: organization)
    }

    static let sentences = [
        "requiredHeading", "codesHeading", "requiredLead", "codesLead", "startAgain",
    ].map { Sentence("factor.\($0)") }
}

extension String {
    /// In groups of four characters, as people read secrets aloud.
    fileprivate var inGroups: String {
        stride(from: 0, to: count, by: 4).map { String(dropFirst($0).prefix(4)) }.joined(separator: " ")
    }
}
