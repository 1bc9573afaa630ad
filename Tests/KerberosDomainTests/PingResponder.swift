import Foundation
import Synchronization

@testable import KerberosDomain

/// A socket of UDP that answers as a test says; what honest domain controllers answer is tested with one.
final class PingResponder: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let questions = Mutex(0)

    /// How many questions have come.
    var count: Int { questions.withLock { $0 } }

    /// - Parameter answers: gets the number of the question, and returns datagrams.
    convenience init(_ answers: @escaping @Sendable (Int32) -> [[UInt8]]) throws {
        try self.init(toDatagrams: { question in
            var reader = BER(question[...])
            var message = reader.enter(BER.sequence)
            return message?.integer().map(answers) ?? []
        })
    }

    /// - Parameter answers: gets a question, and returns datagrams.
    static func answering(_ answers: @escaping @Sendable ([UInt8]) -> [[UInt8]]) throws -> PingResponder {
        try PingResponder(toDatagrams: answers)
    }

    private init(toDatagrams answers: @escaping @Sendable ([UInt8]) -> [[UInt8]]) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileNoSuchFile) }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                var sender = sockaddr_storage()
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                let received = withUnsafeMutablePointer(to: &sender) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(descriptor, &bytes, bytes.count, 0, $0, &length)
                    }
                }
                // `stop` sends an empty one.
                guard received > 0 else { break }
                questions.withLock { $0 += 1 }
                for answer in answers(Array(bytes[..<received])) {
                    _ = withUnsafePointer(to: &sender) { pointer in
                        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            sendto(descriptor, answer, answer.count, 0, $0, length)
                        }
                    }
                }
            }
            close(descriptor)
        }
    }

    func stop() {
        let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(sender) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(sender, nil, 0, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// An answer in the form of a domain controller of `corp.test`.
    static func description(_ number: Int32, clientSite: String = "Branch", domain: String = "corp.test") -> [UInt8] {
        func name(_ text: String) -> [UInt8] {
            text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
        }
        let names = [domain, domain, "dc1.\(domain)", "CORP", "DC1", "", "Main", clientSite].flatMap(name)
        let value =
            [23, 0, 0, 0, 0x3d, 0, 0, 0] + [UInt8](repeating: 7, count: 16) + names + [5, 0, 0, 0, 255, 255, 255, 255]
        let attribute = BER.text("Netlogon") + BER.element(BER.set, BER.element(BER.octets, value))
        let entry = BER.text("") + BER.element(BER.sequence, BER.element(BER.sequence, attribute))
        return BER.element(BER.sequence, BER.integer(number) + BER.element(0x64, entry))
    }
}
