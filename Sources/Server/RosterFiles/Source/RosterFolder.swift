import Directory
import Foundation

/// A folder with the six files.
package struct RosterFolder {
    /// Sizes in bytes of the files that are present.
    let sizes: [RosterFile: Int]
    private let path: String

    init?(path: String, for kind: Organization.Kind, defects: DefectLog) {
        self.path = path
        let folderName = (path as NSString).lastPathComponent
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            defects.report(
                .unreadableArchive, in: folderName, "The folder cannot be read.", remedy: "Check its permissions.")
            return nil
        }
        var sizes: [RosterFile: Int] = [:]
        var found: Set<RosterFile> = []
        var others: [String] = []
        for name in names.sorted() {
            guard let file = RosterFile(named: name) else {
                others.append(name)
                continue
            }
            found.insert(file)
            var status = stat()
            // Only regular files: a pipe, for instance, could block the import for ever.
            guard stat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                defects.report(
                    .notARegularFile, in: name, "This is not a file that can be read.", remedy: "Put a CSV file there.")
                continue
            }
            sizes[file] = Int(status.st_size)
        }
        self.sizes = sizes
        RosterSource.reportUnexpected(
            others.filter { !RosterSource.isClutter($0) && $0 != "__MACOSX" }, besides: found, in: folderName,
            defects: defects)
        RosterSource.reportMissing(besides: found, others: others, for: kind, defects: defects)
    }

    /// The first bytes of files that may be in another format, by name.
    static func foreignHeads(in path: String) -> [String: [UInt8]] {
        var heads: [String: [UInt8]] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where ForeignFormat.hasMarks(name) {
            var status = stat()
            // Only regular files, since others could block.
            guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                let stream = try? FileStream(path: "\(path)/\(name)")
            else { continue }
            heads[name] = try? stream.head(bytesMax: ForeignFormat.headBytesMax)
        }
        return heads
    }

    func stream(_ file: RosterFile) throws -> (any ByteStream)? {
        guard sizes[file] != nil else { return nil }
        return try FileStream(path: "\(path)/\(file.name)")
    }
}
