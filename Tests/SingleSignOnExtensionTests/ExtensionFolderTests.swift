import SingleSignOnExtension
import Testing

@Suite struct ExtensionFolderTests {
    @Test func `callers have folders of their own`() {
        let folder = ExtensionFolder(path: "/x")
        #expect(folder.folder(of: "exe:/usr/bin/curl").path == "/x/callers/exe%3a%2fusr%2fbin%2fcurl")
        #expect(folder.folder(of: "..").path == "/x/callers/%2e.")
    }
}
