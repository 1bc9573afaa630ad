/// What the demo prints when it has started.
struct SingleSignOnDemoText {
    let stage: SingleSignOnDemoStage
    let siteURL: String
    let serverURL: String
    /// Whether the demo has opened a browser of its own, with the extension.
    let opensBrowser: Bool
    let isSignedIn: Bool
    /// Why there is no second scene; nil if there is one.
    let whyNoDomain: String?

    var text: String {
        """

        Single sign-on is ready.

          Burgers and Tacos   \(siteURL)    a web site for people of the school
          Lanyard             \(serverURL)    the school's server
          the device          \(stage.device.folder)

        Sign in as          \(account.name), with the user name \(account.userName)
        and the password    \(account.password)

        \(isSignedIn ? signedIn : "")\(opensBrowser ? withBrowser : withTerminal)

        \(stage.domain.map(secondScene) ?? "The second scene, a domain, is left out. \(whyNoDomain ?? "")")

        The device can sign \(account.name) in by a key of its own, so that nobody is asked at all.
        The first of these gives a code, and the second asks for it:
          \(stage.lanyard) device code --user \(account.userName) --data \(stage.folder)/server
          \(stage.lanyardSSO) pair

        What the device did, and why:
          \(stage.lanyardSSO) log

        For this demo, and nowhere else: the server's certificate is from an authority that only this
        demo trusts. The broker takes profile and extension from this folder, root's or not. The native
        program may draw the form in its own terminal, where others get a page in the browser.
        \(account.name) has agreed before that Burgers and Tacos knows the name.

        Ctrl-C stops everything; the next start finds it again. To begin anew, delete
          \(stage.folder)
        """
    }

    private var account: DemoStage.Account { stage.account }

    private func secondScene(_ domain: DemoDomain) -> String {
        """
        The second scene is a domain, \(DemoDomain.realm), with the same password. In another terminal:
          1. \(stage.lanyardSSO) kerberos sign-in
             asks for the password, once.
          2. \(stage.browser) \(domain.page)
             The intranet says hello, and asks nothing. So do the next ones:
          3. \(stage.inDomain) git clone \(domain.repository)
          4. \(stage.inDomain) ssh -F \(domain.shellSettings) \(DemoDomain.shell)
          5. \(stage.browser) \(serverURL)/account
             Lanyard itself knows who it is.
          6. \(stage.expirePassword)
             The domain wants a new password.
          7. \(stage.lanyardSSO) kerberos sign-in --force
             asks for the old one and a new one, and all goes on. The next start of the demo sets it back.
        """
    }

    private var signedIn: String {
        """
        \(account.name) is still signed in on the device, from the last time: nobody would be asked.
        To see the device ask, press “Sign out” at a page that greets you, and run this elsewhere:
          \(stage.client) sign-out


        """
    }

    private var withBrowser: String {
        """
        First the browser. Chromium has just opened.
          1. Press “To the menu”.
             The page wants to know who is there, and the device asks in the same tab:
             type name and password.
          2. The page says hello, by name.
          3. In another terminal: \(stage.client) burger
          4. And then: \(stage.client) tacos
             Nobody is asked.

        Then the other way round.
          1. Press “Sign out” at the page, and run: \(stage.client) sign-out
          2. \(stage.client) tacos
             asks in the terminal.
          3. Press “To the menu” at the page: nobody is asked.

        This Chromium has the extension, and takes the server's certificate; others have not and do not.
        To open it again:
          \(stage.browser)
        """
    }

    private var withTerminal: String {
        """
        No browser has been opened, so begin with the native program, in another terminal.
          1. \(stage.client) tacos
             The device asks in the terminal: type name and password.
          2. \(stage.client) burger
             Nobody is asked.
          3. \(stage.client) sign-out
             The next program is asked again.

        The page of Burgers and Tacos works in a Chromium of this demo's own, which has the extension and
        takes the server's certificate. Where there is a display, this opens it:
          \(stage.browser)
        Press “To the menu”: whoever has signed in, in the terminal or here, is not asked again.
        """
    }
}
