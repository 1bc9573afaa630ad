import OpenIDExtension

@main
struct Main {
    static func main() async { await OpenIDProgram.main() }
}
