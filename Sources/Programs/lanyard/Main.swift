import ServerCommands

@main
struct Main {
    static func main() async { await Lanyard.main() }
}
