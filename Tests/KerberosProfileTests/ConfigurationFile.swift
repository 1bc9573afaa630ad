import CKerberos
import Foundation
import Testing

/// A configuration file, read by MIT Kerberos itself.
final class ConfigurationFile {
    private var profile: profile_t?
    /// The library looks each second whether the file has changed, so it stays as long as it is read.
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("krb5-\(UUID()).conf").path

    init(_ text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let status = profile_init_path(path, &profile)
        try #require(status == 0, "MIT Kerberos cannot read this (\(status)):\n\(text)")
    }

    deinit {
        profile_release(profile)
        try? FileManager.default.removeItem(atPath: path)
    }

    private func list(
        _ path: [String],
        _ ask: (UnsafeMutablePointer<UnsafePointer<CChar>?>, inout UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?)
            -> Int
    ) -> [String] {
        let copies = path.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        var names = copies.map { UnsafePointer<CChar>($0) } + [nil]
        var found: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        guard names.withUnsafeMutableBufferPointer({ ask($0.baseAddress!, &found) }) == 0, let found else { return [] }
        defer { profile_free_list(found) }
        var texts: [String] = []
        while let text = found[texts.count] { texts.append(String(cString: text)) }
        return texts
    }

    /// All values of a relation, in the order of the file.
    func values(_ path: String...) -> [String] { list(path) { profile_get_values(profile, $0, &$1) } }

    /// The names of relations in a section.
    func names(_ path: String...) -> [String] { list(path) { profile_get_relation_names(profile, $0, &$1) } }

    /// The names of sections in a section.
    func sections(_ path: String...) -> [String] { list(path) { profile_get_subsection_names(profile, $0, &$1) } }
}
