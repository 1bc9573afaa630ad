import Administration
import Directory
import ServerPages

/// The sentences whose keys are made of a case. Those that stand whole in the code are found there by a test.
enum ConsoleSentences {
    static var all: [Sentence] {
        ConsoleSection.allCases.map(\.label) + ToDo.sentences + ConsoleProblemPage.sentences
            + AuditEntry.Action.allCases.map { Sentence(action: $0.rawValue) }
            + PersonAction.sentences + EditPersonPage.sentences + PersonWords.sentences + PersonPage.sentences
            + HomePage.sentences + AccessTopic.sentences + AppWords.sentences + ConsentTermPage.sentences
            + SharingRecord.limitSentences + ViewAsAppPage.sentences + WhyPage.sentences
    }
}
