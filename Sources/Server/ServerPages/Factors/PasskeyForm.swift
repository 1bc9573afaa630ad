/// A form that a script fills with what a passkey says; without scripts it is not shown. It posts `credential_id`,
/// `client_data`, `authenticator_data`, `signature` and `user_handle`, or for a new passkey `client_data`, `attestation`
/// and `passkey_name`: bytes as base64url.
package struct PasskeyForm: Sendable {
    package enum Purpose: Sendable {
        /// Sign in, whoever has the passkey. Its authenticator has to make sure of the person.
        case signIn
        /// Show that it is the person, with one of these passkeys: credential ids as base64url.
        case confirm([String])
        /// Make a new passkey.
        /// - Parameters:
        ///   - userHandle: base64url.
        ///   - known: the credential ids of the passkeys that the person has, as base64url.
        case add(userHandle: String, userName: String, name: String, known: [String])
    }

    package let form: Form
    package let purpose: Purpose

    package init(form: Form, purpose: Purpose) {
        self.form = form
        self.purpose = purpose
    }

    var content: Content {
        var content = form.content
        let (word, label, ids): (String, String, [String]) =
            switch purpose {
            case .signIn: ("sign-in", "factor.signInWithPasskey", [])
            case .confirm(let ids): ("confirm", "factor.usePasskey", ids)
            case .add(_, _, _, let known): ("add", "factor.addPasskey", known)
            }
        content["purpose"] = .text(word)
        content["passkeyLabel"] = .sentence(Sentence(label))
        content["credentials"] = .text(ids.joined(separator: " "))
        content["new"] = .absent
        if case .add(let userHandle, let userName, let name, _) = purpose {
            content["new"] = .group([
                "userHandle": .text(userHandle), "newUserName": .text(userName), "newName": .text(name),
                "nameField": .group(
                    Field(
                        name: "passkey_name", kind: .passkeyName, label: Sentence("factor.passkeyName"),
                        hint: Sentence("factor.passkeyNameHint"), isLast: true
                    ).content),
            ])
        }
        return content
    }

    static let sentences = ["signInWithPasskey", "usePasskey", "addPasskey", "passkeyName", "passkeyNameHint"].map {
        Sentence("factor.\($0)")
    }
}
