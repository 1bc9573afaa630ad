import ArgumentParser

/// A company's web site with pictures that only its people may see, and a native program for the same pictures. Neither
/// knows that the other is there; one sign-in serves both.
@main
struct BurgersAndTacos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "burgers-and-tacos",
        abstract: "A protected web site, and a native program for what it protects.",
        discussion: "`make demo-sso` starts everything that they need.",
        subcommands: [ServeCommand.self, BurgerCommand.self, TacosCommand.self, SignOutCommand.self])
}
