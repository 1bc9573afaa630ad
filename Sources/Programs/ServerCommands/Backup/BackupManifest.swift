import CommandOutput
import Crypto
import Foundation
import Ground
import Storage

/// What a copy of the database is: a JSON file beside it, which is written last. A copy without one is not finished.
struct BackupManifest: Codable, Equatable, Sendable {
    /// The number of this form of a manifest.
    static let format = 1

    /// A file of the copy, in the same folder.
    struct Part: Codable, Equatable, Sendable {
        let file: String
        let bytes: Int
        /// The digest of the whole file, in hexadecimal.
        let sha256: String
    }

    /// The manifest's form. By this field the file is recognized.
    let lanyardBackup: Int
    /// When the copy was begun.
    let madeAt: Date
    /// The version of the program that made it.
    let version: String
    let database: Dialect
    /// The last schema step that was applied to the database.
    let schemaStep: Int
    /// The file of `VACUUM INTO`, or the archive of `pg_dump --format=custom`.
    let copy: Part
    /// How many rows the main tables have.
    let rows: [String: Int]
    /// Who was erased and what was closed, as `lanyard erasure list --json` writes it; nil if the database had the schema of an older version.
    let erasures: Part?
    /// The fingerprint of the master key, without which nothing in the copy that is sealed can be opened.
    let masterKey: String

    /// The tables whose rows are counted.
    static let tables = ["app", "audit_entry", "class", "consent", "organization", "person"]

    /// Whether the files have names that ``BackupFolder`` gives: nothing else is read or removed on a manifest's word.
    func belongs(to stem: String) -> Bool {
        lanyardBackup == Self.format && copy.file == stem + Self.ending(of: database)
            && (erasures == nil || erasures?.file == stem + Self.erasuresEnding)
    }

    static let ending = ".json"
    static let erasuresEnding = ".erasures.json"
    static func ending(of database: Dialect) -> String {
        switch database {
        case .sqlite: ".sqlite"
        case .postgres: ".dump"
        }
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder.readable
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

extension Dialect: Codable {}

extension BackupManifest.Part {
    /// Reads a whole file.
    /// - Parameter name: under which it is kept, if it has another one now.
    /// - Throws: ``Failure`` if it cannot be read.
    init(of path: String, named name: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw Failure("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { try? file.close() }
        var (hash, count) = (SHA256(), 0)
        do {
            while let part = try file.read(upToCount: 1 << 20), !part.isEmpty {
                hash.update(data: part)
                count += part.count
            }
        } catch {
            throw Failure("\(path) cannot be read to its end.")
        }
        self.init(file: name, bytes: count, sha256: Array(hash.finalize()).hexadecimal)
    }

    /// - Throws: ``Failure`` if the file at `path` is not the one that was written.
    func check(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw Failure("There is no \(path).") }
        guard try Self(of: path, named: file) == self else {
            throw Failure("\(path) is damaged: it is not the file that its manifest describes. Take another copy.")
        }
    }
}
