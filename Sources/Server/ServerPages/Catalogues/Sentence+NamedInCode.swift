extension Sentence {
    /// The title of a page that reports a problem with a form.
    static let titleWithProblem = Sentence("layout.titleWithProblem")
    static let terms = Sentence("layout.terms")

    /// Sentences that code chooses by a case; all others are named in templates. `Pages.init` checks that they exist.
    static var namedInCode: [Sentence] {
        AccountRole.allCases.map(\.sentence)
            + PasswordRule.allCases.flatMap { [$0.hint, $0.problem] }
            + PasswordAdvice.sentences
            + SignInPage.Problem.all.map(\.sentence)
            + ChangePasswordPage.Problem.sentences
            + FirstAdministratorPage.Problem.all.map(\.sentence)
            + NameFields.problems
            + VerifyEmailPage.Purpose.allCases.map(\.lead)
            + VerifyEmailPage.Problem.sentences
            + DeviceDonePage.Outcome.allCases.flatMap { [$0.heading, $0.explanation] }
            + TerminalDonePage.Outcome.allCases.flatMap { [$0.heading, $0.explanation] }
            + TerminalApprovalPage.Right.allCases.map(\.sentence)
            + Device.sentences
            + AccountPage.sentences
            + Letter.sentences
            + NotSharedPage.Reason.allCases.flatMap { [$0.explanation, $0.whatToDo] }
            + [ConsentNotAllowedPage.heading, ConsentNotAllowedPage.headingForAll]
            + ErrorPage.Cause.allCases.flatMap { [$0.heading, $0.explanation] }
            + ErrorPage.WayOn.Label.allCases.map(\.sentence)
            + PersonDataPage.sentences
            + PasskeyForm.sentences + FactorProblem.sentences + OneTimeCodesPage.sentences
            + FactorReminderPage.sentences + SignInWaysPage.sentences
            + ConsentScope.allCases.map(\.title) + StopSharingPage.sentences + RenewSharingPage.sentences + [
                .titleWithProblem, .terms, .staleForm,
            ]
    }
}
