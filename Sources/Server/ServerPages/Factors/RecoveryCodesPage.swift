/// Recovery codes, shown once, to be printed or written down.
package struct RecoveryCodesPage: Page {
    package let codes: [String]
    /// The host of the server, by which people find the sheet.
    package let host: String
    package let userName: String
    package let organization: Badge?
    package let continuePath: String

    package init(codes: [String], host: String, userName: String, organization: Badge?, continuePath: String) {
        self.codes = codes
        self.host = host
        self.userName = userName
        self.organization = organization
        self.continuePath = continuePath
    }

    package var view: View {
        View(
            "recovery-codes", heading: Sentence("factor.recoveryHeading"),
            content: [
                "codes": .list(codes.map { ["code": .text($0)] }),
                "host": .text(host),
                "userName": .address(userName),
                "continuePath": .text(continuePath),
            ],
            owner: organization)
    }
}
