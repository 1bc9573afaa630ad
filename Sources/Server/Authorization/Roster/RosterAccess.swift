import Directory

/// What a bearer token lets its holder read right now. Asked on every roster call, in the same snapshot as the
/// page itself.
package struct RosterAccess: Sendable {
    package let clientID: String
    package let app: App
    package let organization: Organization
    package let scopes: ScopeSet
    package let grantID: GrantID
}
