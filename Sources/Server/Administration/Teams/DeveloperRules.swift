/// What a server lets the developers of apps do, from its settings.
package struct DeveloperRules: Sendable {
    /// Who may make a team, besides the operator.
    package enum Founding: String, CaseIterable, Sendable {
        case nobody
        /// Whoever is a member of a team already, because somebody has let them in.
        case invited
        /// Whoever is signed in, but for pupils.
        case anyone
    }

    let founding: Founding
    /// Whether all apps may have addresses on loopback, as on a server for development.
    let takesLoopback: Bool
    /// Whether teams can have sandboxes.
    let haveSandboxes: Bool
    /// The domain of hidden addresses, from which no team writes; nil if there is no relay.
    let relayDomain: String?

    package init(
        founding: Founding = .nobody, takesLoopback: Bool = false, haveSandboxes: Bool = true,
        relayDomain: String? = nil
    ) {
        self.founding = founding
        self.takesLoopback = takesLoopback
        self.haveSandboxes = haveSandboxes
        self.relayDomain = relayDomain
    }
}
