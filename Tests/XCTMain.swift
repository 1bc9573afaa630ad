import Testing

/// Where the tests begin.
///
/// SwiftPM would write such a file by itself, but it looks into an index of the project for what the file has to name, and
/// making that index costs a fifth of the time of compiling. Our tests need no names: all are those of Swift Testing, which
/// finds them in the program.
@main
struct Main {
    static func main() async {
        // SwiftPM also runs the program for tests of XCTest, of which there are none, and does not say so then.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
