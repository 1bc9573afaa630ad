import Storage

/// How a person has proved who they are. The bits are stored, so their meaning does not change.
package struct SignInMethods: OptionSet, Hashable, Sendable, SQLConvertible {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let password = SignInMethods(rawValue: 1)
    /// The key of a registered device, without anybody at the keyboard.
    package static let deviceKey = SignInMethods(rawValue: 2)
    package static let passkey = SignInMethods(rawValue: 4)
    /// The authenticator of the passkey made sure who touched it, by a fingerprint, a face or a PIN.
    package static let userVerified = SignInMethods(rawValue: 8)
    package static let oneTimeCode = SignInMethods(rawValue: 16)
    package static let recoveryCode = SignInMethods(rawValue: 32)
    /// The app has asked for `password` as `acr`, and is told that, whatever else was shown.
    package static let toldAsPassword = SignInMethods(rawValue: 64)
    /// A ticket of Kerberos, which the computer has since somebody signed in to it.
    package static let kerberos = SignInMethods(rawValue: 128)

    /// What counts beside a password.
    package static let secondFactors: SignInMethods = [.passkey, .oneTimeCode, .recoveryCode]

    /// Whether nobody has shown anything: a device has signed the person in, or the computer has a ticket.
    package var isUnattended: Bool {
        contains(.deviceKey) || contains(.kerberos) && isDisjoint(with: Self.secondFactors.union(.password))
    }

    /// Whether a ticket stands in the place of the password, which nobody has seen.
    package var replacesPassword: Bool { contains(.kerberos) && !contains(.password) }

    /// Whether the person has shown two things of different kinds: something they know, have or are. A passkey whose
    /// authenticator made sure of the person is two by itself.
    package var isMultiFactor: Bool {
        isSuperset(of: [.passkey, .userVerified])
            || !isDisjoint(with: [.password, .kerberos]) && !isDisjoint(with: Self.secondFactors)
    }
}
