import Directory
import Storage

/// What is the same for all changes in their transaction: the caller and the version are checked, the change is carried
/// out, and what undoes it is kept.
package struct Settlement<C: Change>: Sendable {
    /// Carries the change out with `body`.
    package typealias Settle =
        @Sendable (
            _ transaction: WriteTransaction, _ body: (_ subject: C.Subject, _ act: Act) throws -> C.Answer
        ) throws -> Settled<C>

    let settle: Settle
}

/// A change that was carried out.
package struct Settled<C: Change>: Sendable {
    let done: Done<C.Answer>
    let subject: C.Subject
    let followUp: FollowUp
}
