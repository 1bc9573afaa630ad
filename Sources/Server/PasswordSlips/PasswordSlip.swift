/// What one person gets on paper. It has nothing of anybody else.
package struct PasswordSlip: Equatable, Sendable {
    /// The school, or the organization.
    let school: String
    let className: String?
    let name: String
    let userName: String
    let password: String

    package init(school: String, className: String?, name: String, userName: String, password: String) {
        self.school = school
        self.className = className
        self.name = name
        self.userName = userName
        self.password = password
    }

    /// Slips that are handed out together, and so begin on a page of their own.
    func isOfSamePile(as other: PasswordSlip) -> Bool { school == other.school && className == other.className }
}
