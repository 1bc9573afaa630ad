extension Sentence {
    /// The title of a page that says what is wrong with what was sent.
    static let titleWithProblem = Sentence("layout.titleWithProblem")

    /// The sentences that code chooses by a case. Templates name the others. `Pages.init` asks for all of them.
    static var namedInCode: [Sentence] {
        AccountRole.allCases.map(\.sentence)
            + PasswordPolicy.allCases.flatMap { [$0.hint, $0.problem] }
            + PasswordProblem.sentences
            + SignInPage.Problem.all.map(\.sentence)
            + ChangePasswordPage.Problem.sentences
            + FirstAdministratorPage.Problem.all.map(\.sentence)
            + NameFields.problems
            + VerifyEmailPage.Purpose.allCases.map(\.lead)
            + VerifyEmailPage.Problem.sentences
            + DeviceDonePage.Outcome.allCases.flatMap { [$0.heading, $0.explanation] }
            + Device.sentences
            + AccountPage.sentences
            + Letter.sentences
            + NotSharedPage.Reason.allCases.flatMap { [$0.explanation, $0.whatToDo] }
            + [ConsentNotAllowedPage.heading, ConsentNotAllowedPage.headingForAll]
            + ErrorPage.Cause.allCases.flatMap { [$0.heading, $0.explanation] }
            + ErrorPage.WayOn.Label.allCases.map(\.sentence)
            + ConsentScope.allCases.map(\.title) + StopSharingPage.sentences + [.titleWithProblem, .staleForm]
    }
}
