import Foundation
import TestSupport
import Testing

@testable import RosterFiles

@Suite struct PackageTests {
    /// The six files that are in a package, as texts.
    private static func texts(in package: RosterPackage) throws -> RosterTexts {
        let source = try #require(RosterSource.open(.init(in: package, named: "roster.zip"), defects: DefectLog()))
        return try RosterFile.allCases.reduce(into: [:]) { texts, file in
            var bytes: [UInt8] = []
            try source.stream(file)?.forEachPiece { bytes += $0 }
            texts[file] = String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test("a folder is packed, an archive is copied, and both have the files as they were")
    func both() async throws {
        try await RosterTexts.example.onDisk { folder in
            let packed = try RosterPackage(at: folder)
            #expect(try Self.texts(in: packed) == .example)
            // A package is an archive like any other.
            let copied = try RosterPackage(at: packed.path)
            #expect(copied.bytes == packed.bytes)
            #expect(
                try copied.part(at: 0, bytesMax: .max) == packed.part(at: 0, bytesMax: .max))
            let data = try packed.part(at: 0, bytesMax: packed.bytes)
            #expect(try Self.texts(in: RosterPackage(data)) == .example)
        }
    }

    @Test("parts put together are the whole, whatever their size", arguments: [1, 7, 1_000, 1 << 20])
    func parts(_ size: Int) async throws {
        try await RosterTexts.example.onDisk { folder in
            let package = try RosterPackage(at: folder)
            var offset = 0
            let again = try RosterPackage {
                let part = try package.part(at: offset, bytesMax: size)
                offset += size
                return part.isEmpty ? nil : part
            }
            #expect(again.bytes == package.bytes)
            #expect(try Self.texts(in: again) == .example)
            #expect(try package.part(at: package.bytes + 1, bytesMax: size).isEmpty)
        }
    }

    @Test("what is nowhere, and what is none, is told")
    func nothing() throws {
        #expect(throws: RosterImportError.self) { try RosterPackage(at: "/nowhere/at/all") }
        let none = try RosterPackage(Data("no ZIP".utf8))
        let defects = DefectLog()
        #expect(RosterSource.open(.init(in: none, named: "roster.zip"), defects: defects) == nil)
        #expect(defects.kept.map(\.file) == ["roster.zip"])
    }

    @Test("files that change while they are read are not kept")
    func changing() async throws {
        try await RosterTexts.example.onDisk { folder in
            let source = try #require(RosterSource.open(at: folder, defects: DefectLog()))
            let file = URL(fileURLWithPath: folder).appendingPathComponent("students.csv")
            try (Data(contentsOf: file) + Data("S-9,…\n".utf8)).write(to: file)
            #expect(throws: UnreadableFile.self) { try RosterPackage(source, digest: "another") }
            let archive = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).zip")
            defer { try? FileManager.default.removeItem(at: archive) }
            let package = try RosterPackage(at: folder)
            try package.part(at: 0, bytesMax: package.bytes).write(to: archive)
            let opened = try #require(RosterSource.open(at: archive.path, defects: DefectLog()))
            try Data("another".utf8).write(to: archive)
            #expect(throws: UnreadableFile.self) { try RosterPackage(opened) }
        }
    }
}
