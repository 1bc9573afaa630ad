import ArgumentParser
import SingleSignOnBroker

@main
struct Main: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lanyard-broker")
}
