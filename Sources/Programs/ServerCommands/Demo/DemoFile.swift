import CommandOutput
import Directory
import Foundation
import Ground

/// What the demo prints, and writes to `demo.json` for scripts. Paths are as given on the command line, so they may be
/// relative to the demo's working directory.
struct DemoFile: Encodable {
    struct Server: Encodable {
        let baseURL: String
        let issuer: String
    }

    struct Quizzler: Encodable {
        let baseURL: String
    }

    struct Organization: Encodable {
        let id: String
        let name: String
    }

    let server: Server
    let quizzler: Quizzler
    let organization: Organization
    let accounts: [DemoStage.Account]
    let apps: [DemoStage.RegisteredApp]
    let ownSchool: OwnSchool?

    init(_ stage: DemoStage, baseURL: String, issuer: String, quizzlerURL: String, ownSchool: OwnSchool?) {
        server = Server(baseURL: baseURL, issuer: issuer)
        quizzler = Quizzler(baseURL: quizzlerURL)
        organization = Organization(id: stage.organization.publicID, name: stage.organization.name)
        accounts = stage.accounts
        apps = [stage.quizzler]
        self.ownSchool = ownSchool
    }

    func write(to path: String) throws {
        try JSONEncoder.readable.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// - Parameters:
    ///   - program: how to run this program.
    ///   - folder: the demo's data folder.
    func text(program: String, folder: String) -> String {
        let table = Table.text(
            ["ROLE", "ACCOUNT", "NAME", "USER NAME", "PASSWORD"],
            accounts.map { account in
                [
                    account.role.replacingOccurrences(of: "_", with: " "),
                    account.kind + (account.email == nil ? ", no email" : ""), account.name, account.userName,
                    account.password,
                ]
            })
        let place = "--org \(organization.name.quotedForShell) --data \(folder)"
        return """

            \(organization.name) is open.

              Lanyard    \(server.baseURL)
              Quizzler   \(quizzler.baseURL)

            \(table)

            1. Open Quizzler and press “Connect your school”.
            2. Sign in as the administrator, and allow it.
            3. See the classes, their teachers and pupils.

            Then open Quizzler again and press “Continue with Lanyard”, each time as somebody else
            (“Sign out” at Quizzler, then “Not you? Use another account” at Lanyard):

              the parent         has an account of her own, may hide her address, and needs no school
              an instructor      sees her own classes, with everyone in them
              Fatima, a pupil    has no email address, and sees classmates by their first names
              the administrator  sees the whole school

            Each person's own page, with apps, hidden addresses and where they are signed in:
              \(server.baseURL)/account

            The administrator's console of the school:
              \(server.baseURL)/manager

            To keep Quizzler out for the people of the school:
              \(program) access mode allow-only-listed-apps --for sign-in \(place)
            And to let it in again:
              \(program) access allow Quizzler --for sign-in \(place)
            To end the sharing of the school's data with Quizzler:
              \(program) consent revoke Quizzler \(place)

            \(ownSchool.map(walk) ?? "")\
            Whoever else comes can make a personal account at the sign-in page. No mail leaves this machine: the
            codes are in the files of \(folder)/mail/new. What an app writes to a hidden address arrives nowhere.

            Quizzler's developer reads the test school only, and asks for that with a request of their own.

            Ctrl-C stops everything; the next start finds it again.
            """
    }

    /// What to do with the school of one's own. README.md has the whole walk.
    private func walk(through school: OwnSchool) -> String {
        let first =
            school.link.map { "Open this link, once and within a day, and make your account:\n     \($0)" }
            ?? "Sign in with the account that you have made: \(server.baseURL)/manager"
        return """
            To run a school of your own, \(school.name), in the browser alone (README.md has the whole walk):

              1. \(first)
              2. In the console import the people and classes, from this file:
                 \(school.roster)
              3. Make a team, an app and a key, and let the app read the school:
                 \(server.baseURL)/developer


            """
    }
}
