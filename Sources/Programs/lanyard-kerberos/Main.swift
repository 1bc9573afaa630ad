import KerberosExtension

@main
struct Main {
    static func main() async { await KerberosProgram.main() }
}
