import Directory
import Foundation
import Storage

/// Keeps the answer of a timestamp authority beside the entry whose hash it has stamped. From then on nobody can make
/// the trail up to that entry anew, not even the operator: the hash would be another one than the authority has seen.
package struct AnchorAudit: Change {
    package static let name = "audit.anchor"
    package static let summary = "Keeps the answer of a timestamp authority for a hash of the audit trail."
    package static let privilege = Privilege.readAudit
    package static let route = OperationRoute(.post, "audit/anchors")
    package static let explanations = [
        "reply": "The answer of the authority (RFC 3161), in base64.",
        "ofServer": "Of the server itself. Only the operator does that.",
    ]
    package static let undo = UndoRule.impossible("A timestamp is evidence, and evidence is not taken back.")
    package static let worksInClosedOrganizations = true

    package static let hasBulkForm = false

    package struct Answer: Codable, Sendable {
        /// The number of the entry.
        package let number: Int
        /// The time that the authority gives.
        package let time: Date
    }

    package let reply: String
    package let ofServer: Bool?

    package init(reply: String, ofServer: Bool? = nil) {
        self.reply = reply
        self.ofServer = ofServer
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> AuditTrail {
        AuditTrail(organization: ofServer == true ? nil : try context.organizationToChange(transaction))
    }

    /// An authority's answer with its certificates has a few thousand bytes.
    private static let replyBytesMax = 32 << 10
    /// How many answers a trail keeps within 24 hours. The signature of an answer is not checked before somebody
    /// verifies an export, so anything of the right form is kept: without a limit, that could be any amount.
    static let dailyMax = 100

    package func carryOut(on trail: AuditTrail, _: Void, in act: Act) throws -> Answer {
        guard let data = Data(base64Encoded: reply) else {
            throw OperationError.invalid(field: "reply", reason: "is no base64")
        }
        guard data.count <= Self.replyBytesMax else {
            throw OperationError.invalid(field: "reply", reason: "is larger than \(Self.replyBytesMax) bytes")
        }
        let timestamp: TimestampReply
        do {
            timestamp = try TimestampReply(data)
        } catch TimestampReply.Problem.refused(let status) {
            throw OperationError.refused("The authority has given no timestamp: its status is \(status).")
        } catch is TimestampReply.Problem {
            throw OperationError.invalid(
                field: "reply", reason: "is no answer of a timestamp authority to a request of Lanyard")
        }
        guard timestamp.time <= act.now.addingTimeInterval(3_600) else {
            throw OperationError.refused("The timestamp is from the future.")
        }
        let organization = trail.organization?.id
        let yesterday = act.now.addingTimeInterval(-86_400)
        guard try AuditAnchor.count(of: organization, since: yesterday, in: act.transaction) < Self.dailyMax else {
            throw OperationError.refused("\(Self.dailyMax) timestamps were kept within a day. Try again tomorrow.")
        }
        guard let number = try AuditRecord.sequence(ofHash: timestamp.digest, of: organization, in: act.transaction)
        else {
            throw OperationError.refused(
                "The timestamp is for a hash that this audit trail does not have. Was it asked for another one?")
        }
        let anchor = AuditAnchor(sequence: number, at: timestamp.time, reply: Array(data))
        guard try anchor.insert(for: organization, in: act.transaction) else {
            throw OperationError.refused("This timestamp is kept already.")
        }
        try act.record(
            .auditAnchored, on: trail, called: trail.organization?.name ?? "the server", "entry \(number)")
        return Answer(number: number, time: timestamp.time)
    }
}
