import Authorization
import Foundation

/// What commands print of a registered sender.
struct SenderReport: Encodable, Sendable {
    let name: String
    let createdAt: Date

    init(_ sender: RelaySender) {
        name = sender.name
        createdAt = sender.createdAt
    }
}
