import Foundation
import Testing

@testable import HiddenMail

@Suite struct SPFVerifierTests {
    @Test(
        "Debian's verifier of SPF is believed with the library that tells failures of DNS",
        arguments: [
            ([], true),  // none, or one that is not Debian's
            (["usr/bin/pyspf-milter"], false),
            (["usr/bin/pyspf-milter", "usr/lib/python3/dist-packages/DNS/__init__.py"], false),
            (["usr/bin/pyspf-milter", "usr/lib/python3/dist-packages/dns/resolver.py"], true),
            (["usr/bin/pyspf-milter", "usr/local/lib/python3.11/dist-packages/dns/resolver.py"], true),
            (["usr/bin/pyspf-milter", "usr/local/lib/ruby/dist-packages/dns/resolver.py"], false),
        ] as [([String], Bool)])
    func library(_ files: [String], tellsFailures: Bool) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "spf-\(UUID())")
        defer { try? FileManager.default.removeItem(at: root) }
        for file in files {
            let url = root.appending(path: file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        #expect(SPFVerifier(root: root.path).tellsFailures == tellsFailures)
    }
}
