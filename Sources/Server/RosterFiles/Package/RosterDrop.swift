import Directory
import Foundation

/// An SFTP drop: the folder of a pick-up, into which an information system puts the files of a roster. Whoever has its
/// account can put anything there, so only plain files are read: a link would lead to what only the server may read.
package struct RosterDrop: Sendable {
    package enum Content: Sendable {
        case archive(Data)
        /// Nothing is there.
        case nothing
        /// Somebody still writes, as this sentence for people says of one of the files.
        case unfinished(String)
    }

    /// Why what is there is not taken: a sentence for people.
    package struct Refusal: Error, Equatable {
        package let reason: String
    }

    private let path: String
    private let kind: Organization.Kind
    private let bytesMax: Int
    private let unpackedBytesMax: Int

    /// Names that programs use while they send a file.
    private static let unfinished = [".part", ".filepart", ".tmp", ".partial"]

    /// - Parameters:
    ///   - kind: of the organization, which says what files there are.
    ///   - bytesMax: how large the archive of the files may be.
    ///   - unpackedBytesMax: how large the files may be together. A file that is mostly holes takes no room on the
    ///     disk, and hours to read.
    package init(
        at path: String, of kind: Organization.Kind, bytesMax: Int,
        unpackedBytesMax: Int = ArchiveLimits().uncompressedBytesMax
    ) {
        self.path = path
        self.kind = kind
        self.bytesMax = bytesMax
        self.unpackedBytesMax = unpackedBytesMax
    }

    /// - Parameter quiet: files that were changed after this time may still be written.
    /// - Throws: ``Refusal``
    package func read(quietSince quiet: Date) throws -> Content {
        let folder = (path as NSString).lastPathComponent
        guard let all = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw Refusal(reason: "The folder \(folder) is not there, or the server may not read it.")
        }
        let names = all.filter { !$0.hasPrefix(".") && !$0.hasPrefix("__") }.sorted()
        guard !names.isEmpty else { return .nothing }
        if let part = names.first(where: { name in Self.unfinished.contains { name.lowercased().hasSuffix($0) } }) {
            return .unfinished("By its name, “\(Defect.printable(part))” is still being sent.")
        }
        let upload = try RosterUpload(of: kind, bytesMax: bytesMax)
        var left = unpackedBytesMax
        do {
            for name in names {
                guard try append(name, to: upload, &left, quiet) else {
                    return .unfinished(
                        "“\(Defect.printable(name))” was changed less than a minute ago, or at a time that is to come.")
                }
            }
            let package = try upload.finish()
            return .archive(try package.part(at: 0, bytesMax: package.bytes))
        } catch let refusal as RosterUpload.Refusal {
            throw Refusal(reason: Self.text(of: refusal))
        }
    }

    /// - Parameter left: how many bytes may still be read.
    /// - Returns: false if the file may still be written
    private func append(
        _ name: String, to upload: RosterUpload, _ left: inout Int, _ quiet: Date
    ) throws -> Bool {
        let shown = Defect.printable(name)
        // A pipe would block, and a link leads elsewhere.
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Refusal(reason: "“\(shown)” is no plain file that the server may read.") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Refusal(reason: "“\(shown)” is no plain file. Put the files themselves there, and no folders.")
        }
        guard Double(status.st_mtim.tv_sec) <= quiet.timeIntervalSince1970 else { return false }
        guard status.st_size <= left else { throw tooLarge }
        try upload.begin(name)
        try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard count >= 0 else { throw Refusal(reason: "“\(shown)” could not be read to its end.") }
                if count == 0 { return }
                // The file may have grown since.
                left -= count
                guard left >= 0 else { throw tooLarge }
                try upload.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
            }
        }
        try upload.end()
        return true
    }

    private var tooLarge: Refusal {
        Refusal(reason: "The files are larger than \(unpackedBytesMax >> 20) MB together.")
    }

    private static func text(of refusal: RosterUpload.Refusal) -> String {
        switch refusal {
        case .foreign(let name): "“\(name)” is none of the files of a roster. Send those alone, or one ZIP archive."
        case .twice(let name): "\(name) is there twice, in capital and small letters."
        case .mixed: "There is a ZIP archive beside other files. Send either."
        case .tooLarge(let bytesMax): "The files are larger than \(bytesMax >> 20) MB, packed."
        case .none: "No file is there."
        }
    }
}
