import Foundation
import Testing

/// Where the tests begin.
///
/// SwiftPM would write such a file by itself, but it looks into an index of the project for the tests of XCTest that the file has
/// to name, and making that index costs a fifth of the time of compiling. Our tests need no names: all are those of Swift Testing,
/// which finds them in the program. Where there is such a file, SwiftPM runs them only if it is told to.
@main
struct Main {
    static func main() async {
        if CommandLine.arguments.contains("swift-testing") { await Testing.__swiftPMEntryPoint() as Never }
        FileHandle.standardError.write(
            Data("These are tests of Swift Testing: swift test --enable-swift-testing --disable-xctest\n".utf8))
        exit(1)
    }
}
