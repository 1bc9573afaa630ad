import Authorization
import Foundation
import HiddenMail

/// The output of commands about a registered sender.
struct SenderReport: Encodable, Sendable {
    let name: String
    let createdAt: Date

    init(_ sender: RelaySender) {
        name = sender.name
        createdAt = sender.createdAt
    }
}
