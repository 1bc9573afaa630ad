import Administration
import ArgumentParser
import CommandOutput

struct AppIconCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "icon",
        abstract: "Put an icon on an app's badge, in place of its initials.",
        discussion: "People see it when they sign in to the app, or are asked to allow it.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The app: a client id or its name.")
    var app: String

    @OptionGroup var icon: PictureFile

    func run() async throws {
        let file = try icon.bytes()
        let record = try await Deployment.administrate(global) {
            try await $0.perform(SetAppIcon(app: AppReference(app), icon: file)).answer
        }
        try output.print(record) { file == nil ? "The badge has initials." : "The badge has the icon." }
    }
}
