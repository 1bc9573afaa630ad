import BrokerCommands

@main
struct Main {
    static func main() { LanyardBroker.main() }
}
