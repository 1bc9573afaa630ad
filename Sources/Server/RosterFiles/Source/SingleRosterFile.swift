import Directory
import Foundation

/// One CSV file by itself, in neither folder nor archive. A business needs no more, and its file may have any name.
package struct SingleRosterFile {
    let file: RosterFile
    let size: Int
    private let path: String

    /// - Returns: nil if the file is not called as a CSV file, or for a school as none of the six
    init?(path: String, for kind: Organization.Kind) {
        let name = (path as NSString).lastPathComponent
        guard name.lowercased().hasSuffix(".csv"),
            let file = RosterFile(named: name) ?? (kind == .business ? .staff : nil)
        else { return nil }
        var status = stat()
        // Only regular files: a pipe, for instance, could block the import for ever.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.file = file
        self.path = path
        size = Int(status.st_size)
    }

    /// - Returns: nil for the other files
    func stream(_ file: RosterFile) throws -> (any ByteStream)? {
        guard file == self.file else { return nil }
        return try FileStream(path: path)
    }
}
