import OpenIDExtension
import SingleSignOnExtension

@main
struct Main {
    static func main() async {
        await OpenIDExtension.main()
    }
}
