extension AuditEntry.Action {
    /// Whether the trail of an organization of that kind can have it. Only schools have classes and terms, and rosters that
    /// they let apps read.
    package func isPossible(in kind: Organization.Kind) -> Bool {
        switch self {
        case .classCreated, .classChanged, .classRemoved, .termChanged, .rosterRead, .consentGranted, .consentRevoked,
            .consentNarrowed, .consentEnded, .consentRenewed, .consentLimited, .consentTermChanged, .consentReminded:
            kind == .school
        default: true
        }
    }
}
