import ArgumentParser

struct PersonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person",
        abstract: "People, their roles and passwords.",
        discussion: """
            A person is named by user name, by person id (the id in the school's own records), or by number (as `person \
            list` shows it).
            """,
        subcommands: [
            PersonListCommand.self, PersonShowCommand.self, PersonSignInsCommand.self, PersonAddCommand.self,
            PersonSetCommand.self,
            PersonRenameCommand.self, PersonMergeCommand.self, RoleCommand.self,
            PersonPasswordCommand.self, PersonPasswordsCommand.self, PersonUnlockCommand.self,
            PersonResetFactorsCommand.self,
            PersonSignOutCommand.self,
            PersonDeactivateCommand.self, PersonReactivateCommand.self, PersonDataCommand.self,
            PersonEraseCommand.self,
        ])
}
