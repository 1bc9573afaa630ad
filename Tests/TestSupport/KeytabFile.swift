import Foundation

/// A keytab file in the format that MIT documents, with keys of nothing but zeros.
package struct KeytabFile {
    /// Types of keys, as the IANA numbers them.
    package enum KeyType: Int, Sendable {
        case aes256 = 18
        case rc4 = 23

        fileprivate var size: Int {
            switch self {
            case .aes256: 32
            case .rc4: 16
            }
        }
    }

    package let data: Data

    /// - Parameters:
    ///   - services: such as `HTTP/id.maple.example`, each of which has one key.
    ///   - realm: whose services they are.
    package init(_ services: [String], _ type: KeyType = .aes256, realm: String = "MAPLE.EXAMPLE") {
        var file = Data([5, 2])
        func number(_ value: Int, _ bytes: Int) -> Data {
            Data((0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        }
        func counted(_ text: String) -> Data { number(text.utf8.count, 2) + Data(text.utf8) }
        for service in services {
            let parts = service.split(separator: "/").map(String.init)
            var entry = number(parts.count, 2) + counted(realm)
            for part in parts { entry += counted(part) }
            // The type of the name, the time and the version of the key.
            entry += number(1, 4) + number(0, 4) + number(2, 1)
            entry += number(type.rawValue, 2) + number(type.size, 2) + Data(count: type.size)
            file += number(entry.count, 4) + entry
        }
        data = file
    }

    /// Runs `body` with the path of a file that has these keys and is open to its owner alone.
    package func written<Value>(_ body: (_ path: String) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keytab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("web.keytab")
        try data.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        return try await body(file.path)
    }
}
