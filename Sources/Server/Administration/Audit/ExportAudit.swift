import Directory
import Foundation
import Ground
import Storage

/// Gives a part of the audit trail with its hashes, page by page. The caller puts the pages into a file, which proves
/// by itself that nothing in it was changed.
package struct ExportAudit: Inquiry {
    package static let name = "audit.export"
    package static let summary = "Gives a part of the audit trail with its hashes, oldest first."
    package static let privilege = Privilege.readAudit
    package static let route = OperationRoute(.get, "audit/export")
    package static let explanations = [
        "from": "From the first entry of this time on.",
        "until": "Up to the last entry before this time.",
        "after": "The number after which the page begins: `next` of the page before.",
        "through": "The number of the last entry: `last` of the first page, so that the pages belong together.",
        "ofServer": "Of the server itself. Only the operator sees it.",
        "limit": "How many, 10 000 at most. A page of long entries ends sooner.",
    ]

    package struct Answer: Codable, Sendable {
        /// The organization's id; nil for the trail of the server itself.
        package let organization: String?
        package let name: String
        /// The hash of the entry before the first one of this page, in hexadecimal; empty if there is none.
        package let previousHash: String
        package let entries: [AuditExport.Entry]
        /// Timestamps for hashes on this page.
        package let anchors: [AuditExport.Anchor]
        /// The number of the last entry of the export.
        package let last: Int
        /// The `after` of the next page; nil on the last one.
        package let next: Int?
    }

    package let from: Date?
    package let until: Date?
    package let after: Int?
    package let through: Int?
    package let ofServer: Bool?
    package let limit: Int?

    package static let limitMax = 10_000
    /// How many bytes the details of a page have at most: a page is held in memory.
    private static let bytesMax = 4 << 20

    package init(
        from: Date? = nil, until: Date? = nil, after: Int? = nil, through: Int? = nil, ofServer: Bool? = nil,
        limit: Int? = nil
    ) {
        self.from = from
        self.until = until
        self.after = after
        self.through = through
        self.ofServer = ofServer
        self.limit = limit
    }

    package func subject(in context: OperationContext, _ transaction: some Transaction) throws -> AuditTrail {
        AuditTrail(organization: ofServer == true ? nil : try context.requiredOrganization(transaction))
    }

    package func answer(
        about trail: AuditTrail, in context: OperationContext, _ transaction: some Transaction
    ) throws -> Answer {
        let limit = try PageLimit.check(limit, atMost: Self.limitMax, standard: 1_000)
        let organization = trail.organization?.id
        let asked: ClosedRange<Int>
        if let after, let through, after >= 0,
            let end = try AuditRecord.head(of: organization, in: transaction)?.sequence, after < min(through, end)
        {
            asked = (after + 1)...min(through, end)
        } else {
            guard after == nil, through == nil else {
                throw OperationError.invalid(field: "after", reason: "is not before through: give both, as they came")
            }
            guard let found = try AuditRecord.bounds(of: organization, from: from, until: until, in: transaction)
            else { throw OperationError.refused("The audit trail has no entry of that time.") }
            asked = found
        }
        let entries = try AuditRecord.export(
            of: organization, after: asked.lowerBound - 1, limit: min(limit, asked.count), bytesMax: Self.bytesMax,
            in: transaction)
        guard let first = entries.first, let last = entries.last else {
            throw OperationError.invalid(field: "after", reason: "is the number of no entry that another one follows")
        }
        let previous = try AuditRecord.hash(at: first.number - 1, of: organization, in: transaction)
        return Answer(
            organization: trail.organization?.publicID, name: trail.organization?.name ?? "the server",
            previousHash: previous?.hexadecimal ?? "", entries: entries,
            anchors: try AuditAnchor.list(of: organization, within: first.number...last.number, in: transaction).map {
                AuditExport.Anchor(
                    anchors: $0.sequence, time: Int($0.at.timeIntervalSince1970),
                    reply: Data($0.reply).base64EncodedString())
            },
            last: asked.upperBound, next: last.number < asked.upperBound ? last.number : nil)
    }
}
