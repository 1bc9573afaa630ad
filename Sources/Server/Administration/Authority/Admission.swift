import Directory
import Storage

extension OperationContext {
    /// Finds the subject of an operation, and checks that the caller may do this there.
    /// - Throws: ``OperationError``
    func admitted<O: Operation>(_ operation: O, _ transaction: some Transaction) throws -> O.Subject {
        let subject = try operation.subject(in: self, transaction)
        guard
            subject.isOpenToAnybody || authority.reaches(subject.subjectOrganization, subject.subjectTeam),
            try subject.isOpen(to: authority, for: O.privilege, in: transaction)
        else { throw OperationError.forbidden(O.privilege) }
        if !O.worksInSandboxes, let organization = subject.subjectOrganization,
            try Organization.sandboxDomain(of: organization, in: transaction) != nil
        {
            throw OperationError.refused("This is a sandbox, in which there is no `\(O.name)`.")
        }
        return subject
    }
}
