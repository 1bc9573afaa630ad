import ArgumentParser
import CommandOutput
import KerberosProfile
import SingleSignOnClient
import SingleSignOnWire

struct KerberosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kerberos",
        abstract: "Realms of Kerberos, such as domains of Active Directory: who is signed in, and until when.",
        discussion: """
            The realm may be left out where the profiles of this device have one. Exit codes: 0 done, 1 failed, 4 no profile \
            is for the realm, 5 cancelled, 6 no broker, 7 somebody would have to sign in.
            """,
        subcommands: [
            KerberosListCommand.self, KerberosStatusCommand.self, KerberosSignInCommand.self,
            KerberosRefreshCommand.self, KerberosSignOutCommand.self, KerberosChangePasswordCommand.self,
            KerberosForgetCommand.self, KerberosProceedCommand.self, KerberosSiteCommand.self,
            KerberosResetCommand.self,
            KerberosSettingsCommand.self, KerberosEnvironmentCommand.self,
        ])
}

struct KerberosStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show who is signed in to a realm, until when, and where the ticket is.",
        discussion: "It gets no ticket and asks nobody. The times are in UTC. Exit code 7 if nobody is signed in.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    @Flag(help: "Also ask whether a server of the realm answers, for at most ten seconds.")
    var network = false

    func run() async throws {
        try await reportingSingleSignOn {
            let realm = try await realm.realm()
            let state = try await realm.ask(
                "status", options: network ? [HeaderField("network", "true")] : [], isSilent: true)
            try output.print(state) { state.text }
            // The output has said it.
            if !state.signedIn { throw ExitCode.notInteractive }
        }
    }
}

struct KerberosSignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign in to a realm, and ask for name and password only if there is no other way to a ticket.",
        discussion: "It succeeds without a question where there is a ticket already. Exit codes: see `kerberos`.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    @Option(help: "Who signs in. Left out, it is who has signed in before, or whoever writes their name.")
    var user: String?

    @Flag(help: "Ask even if there is a ticket.")
    var force = false

    @Flag(name: .customLong("no-ui"), help: "Do not ask the person: exit code 7 if the extension would have to.")
    var isSilent = false

    func validate() throws {
        if force, isSilent { throw ValidationError("--force asks, and --no-ui forbids that: choose one of them.") }
        if let user, user.isEmpty { throw ValidationError("--user is empty.") }
    }

    func run() async throws {
        try await reportingSingleSignOn {
            // Who signs in by hand has begun.
            var options = [HeaderField("proceed", "true")]
            if let user { options.append(HeaderField("userName", user)) }
            if force { options.append(HeaderField("force", "true")) }
            let state = try await realm.realm().ask("login", options: options, isSilent: isSilent)
            try output.print(state) { state.text }
        }
    }
}

struct KerberosRefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Renew the ticket, or get a new one with what this device has; nobody is asked.",
        discussion: "Exit code 7 if somebody has to sign in.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    func run() async throws {
        try await reportingSingleSignOn {
            let state = try await realm.realm().ask("refresh", isSilent: true)
            try output.print(state) { state.text }
        }
    }
}

struct KerberosSignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Delete the tickets of a realm and what is saved of the sign-in, the password too.",
        discussion: "It succeeds where nobody is signed in.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    func run() async throws {
        try await reportingSingleSignOn {
            let realm = try await realm.realm()
            _ = try await realm.outcome("logout", isSilent: true)
            try output.print(KerberosDone(realm)) { "Signed out of \(realm.name)." }
        }
    }
}

struct KerberosChangePasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-password", abstract: "Change your password for a realm.",
        discussion: """
            It asks in the terminal, or else in the desktop's browser. Where the profile names a page for that, the browser shows \
            the page; without a desktop it is said (exit code 1). Exit codes: see `kerberos`.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    func run() async throws {
        try await reportingSingleSignOn {
            let realm = try await realm.realm()
            let response = try await realm.outcome("changePassword", isSilent: false).response
            let page = response?.headers.values(of: "X-SSO-Kerberos-Password-Page").first
            try output.print(KerberosDone(realm, page: page)) {
                page.map { "Change your password at \($0). Your browser shows the page." }
                    ?? "Your password for \(realm.name) is changed."
            }
        }
    }
}

struct KerberosForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete the saved password for a realm, and keep the ticket.",
        discussion: "It succeeds where none is saved. `sign-out` deletes the ticket too.")

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    func run() async throws {
        try await reportingSingleSignOn {
            let realm = try await realm.realm()
            _ = try await realm.outcome("forgetPassword", isSilent: true)
            try output.print(KerberosDone(realm)) { "No password for \(realm.name) is saved on this device." }
        }
    }
}

struct KerberosProceedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proceed", abstract: "Let apps have people sign in to a realm whose profile puts that off.",
        discussion: """
            With delayUserSetup in the profile an app that wants somebody to sign in has nobody asked, until a server asks for a \
            ticket, somebody uses `sign-in`, or this is run once.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var realm: RealmArgument

    func run() async throws {
        try await reportingSingleSignOn {
            let realm = try await realm.realm()
            _ = try await realm.outcome("proceed", isSilent: true)
            try output.print(KerberosDone(realm)) {
                realm.settings.delayUserSetup
                    ? "From now on apps may have people sign in to \(realm.name)."
                    : "The profile of \(realm.name) puts nothing off: apps may have people sign in."
            }
        }
    }
}

/// What a command has been done to, for scripts.
struct KerberosDone: Encodable {
    let realm: String
    /// The page where the person changes the password now; nil if it is changed, or nothing of that kind was to be done.
    let page: String?

    init(_ realm: KerberosRealm, page: String? = nil) { (self.realm, self.page) = (realm.name, page) }
}
