import CommandOutput
import HiddenMail
import Mail
import ServerHTTP

/// Checks the settings of mail and of the relay for hidden addresses.
struct MailExamination {
    let server: ServerConfiguration
    /// Who is told by mail of what `lanyard doctor` finds; nil if nobody is.
    var operatorAddress: MailAddress?

    func findings() -> [Finding] { [mail(), relay()] }

    private func mail() -> Finding {
        let check = "mail"
        guard let mail = server.mail else {
            return .ok(check, "Off: nobody can make a personal account, or choose a forgotten password anew.")
        }
        switch mail.transport {
        case .smtp(let smtp):
            let security =
                smtp.url.hasPrefix("smtps:") ? "with TLS" : smtp.requiresTLS ? "with STARTTLS" : "on this machine"
            let user = smtp.userName.map { ", as \($0)" } ?? ""
            let told =
                operatorAddress.map { "`lanyard doctor --mail` tells \($0.text) what is wrong." }
                ?? "Nobody gets a mail if something is wrong here: set mail.operator."
            return .ok(check, "From \(mail.sender.address.text) through \(smtp.url), \(security)\(user). \(told)")
        case .maildir(let folder):
            return server.isDevelopment
                ? .ok(check, "Into the folder \(folder), for development.")
                : .warning(
                    check, "Mail goes into the folder \(folder), and to nobody.",
                    remedy: "Set mail.smtp.url in place of mail.maildir.")
        }
    }

    /// Whether the mail server takes a connection, with TLS and the password as for a mail; nil if there is none to be asked.
    func reach() async -> Finding? {
        let check = "mail server"
        guard let mail = server.mail, case .smtp(let smtp) = mail.transport else { return nil }
        do {
            try await SMTPTransport(smtp).probe(greetingAs: mail.sender.address.domain)
            return .ok(check, "\(smtp.url) answers\(smtp.userName == nil ? "" : ", and takes the password").")
        } catch {
            return .problem(
                check, "\(smtp.url) would take no mail: \(error)",
                remedy:
                    "Check mail.smtp.url, user and password, and whether a firewall is between. `lanyard mail test` sends a mail."
            )
        }
    }

    private func relay() -> Finding {
        let check = "hidden addresses"
        guard let relay = server.relay else { return .ok(check, "Off: relay.domain is not set.") }
        guard let listeners = relay.listeners else {
            return .warning(
                check, "At \(relay.domain), but no mail server can ask about them: they take no mail.",
                remedy: "Set relay.listen.socketmap, .policy and .milter; docs/mail.md sets Postfix up.")
        }
        guard SPFVerifier().tellsFailures else {
            return .problem(
                check,
                "At \(relay.domain), but pyspf-milter treats a failing name server as a missing record: mail "
                    + "without SPF or DKIM is deferred again and again, and never refused.",
                remedy: "Run `apt install \(SPFVerifier.package)`, and `systemctl restart pyspf-milter`.")
        }
        return .ok(
            check,
            "At \(relay.domain); socketmap \(listeners.socketmap), policy \(listeners.policy), milter "
                + "\(listeners.milter).")
    }
}
