import ArgumentParser

/// A company's web site with pictures that only its people may see, and a native program that shows the same pictures.
/// Neither knows of the other, but one sign-in is enough for both.
@main
struct BurgersAndTacos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "burgers-and-tacos",
        abstract: "A protected web site, and a native program for what it protects.",
        discussion: "`make demo-sso` starts everything that they need.",
        subcommands: [ServeCommand.self, BurgerCommand.self, TacosCommand.self, SignOutCommand.self])
}
