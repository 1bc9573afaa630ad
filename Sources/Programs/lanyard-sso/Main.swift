import DeviceCommands

@main
struct Main {
    static func main() async { await LanyardSSO.main() }
}
