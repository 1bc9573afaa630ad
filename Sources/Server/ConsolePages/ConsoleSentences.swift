import Administration
import Directory
import ServerPages

/// The sentences whose keys are put together from the name of a case: whether the catalogues have them is checked when
/// the pages are made. Keys that stand as a whole in the code are found there by a test.
enum ConsoleSentences {
    static var all: [Sentence] {
        ConsoleSection.allCases.map(\.label) + ToDo.sentences + ConsoleProblemPage.sentences
            + AuditEntry.Action.allCases.map { Sentence(action: $0.rawValue) }
            + PortalSection.allCases.map(\.label) + PortalStartPage.sentences + PortalEntryPage.sentences
            + PortalAppPage.sentences + AppFormPage.sentences + NotificationsPage.sentences + TryPage.sentences
            + ClientPage.sentences + MembersPage.sentences + SandboxPage.sentences
            + PersonAction.sentences + EditPersonPage.sentences + PersonWords.sentences + PersonPage.sentences
            + SignInWords.sentences
            + HomePage.sentences + ImportWords.sentences + ImportsPage.sentences + ReportTable.sentences
            + ComparisonPage.sentences + IDMapChoicePage.sentences + PickUpWords.sentences + ActivityPage.sentences
            + ChangeWords.sentences
            + AddPersonPage.sentences + ReadersPage.sentences + DescribePersonPage.sentences
            + GivePasswordsPage.sentences + PasswordsJobPage.sentences + ClassAction.sentences + TermAction.sentences
            + EditLocationPage.sentences + LocationAction.sentences + LocationInUsePage.sentences
            + AccessTopic.sentences + AppWords.sentences + ConsentTermPage.sentences
            + SharingRecord.limitSentences + SharingPage.sentences + ViewAsAppPage.sentences + WhyPage.sentences
            + SettingsTopic.sentences + EditSettingsPage.sentences + RetentionWords.sentences + RolesPage.sentences
            + RealmWords.sentences + Desk.sentences
    }
}
