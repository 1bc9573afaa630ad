import Administration
import Directory
import ServerPages

/// How the console calls changes that can be taken back.
enum ChangeWords {
    /// The changes for which the words of the audit trail say enough.
    private static let audited: [String: AuditEntry.Action] = [
        AddAPIClient.name: .apiClientCreated, AddClass.name: .classCreated, AddHold.name: .holdBegun,
        AddLocation.name: .locationCreated, AddPerson.name: .personCreated, ApplyIDMap.name: .idsMapped,
        CloseOrganization.name: .organizationClosed, EditClass.name: .classChanged,
        EditLocation.name: .locationChanged, EditPerson.name: .personChanged, EditTerm.name: .termChanged,
        EndHold.name: .holdEnded, ImportRoster.name: .rosterImported, LeaveOut.name: .sharingHidden,
        LimitConsent.name: .consentLimited, PutBack.name: .sharingShown, RemoveLocation.name: .locationRemoved,
        RenewConsent.name: .consentRenewed, RestoreLocation.name: .locationRestored,
        SetAccessMode<DataSharing>.name: .accessRuleChanged, SetAccessMode<SigningIn>.name: .accessRuleChanged,
        SetConsentTerm.name: .consentTermChanged, SetOrganization.name: .organizationChanged,
        SetRetention.name: .retentionChanged, SetRole.name: .rolePrivilegesChanged, SetSharing.name: .sharingChanged,
    ]

    /// The changes that have words of their own, because the trail has one word for several of them.
    private static let named: Set<String> = [
        AddDomain.name, AddRole.name, AllowApp<DataSharing>.name, AllowApp<SigningIn>.name, ArchiveClass.name,
        CloseTerm.name, DeactivatePerson.name, DisallowApp<DataSharing>.name, DisallowApp<SigningIn>.name,
        MergePeople.name, ReactivatePerson.name, RemoveDomain.name, RemovePickUp.name, RemoveRealm.name,
        RemoveRole.name, RenamePerson.name, ReopenTerm.name, RestoreClass.name, SeparatePeople.name, SetPickUp.name,
        SetPicture.name, SetRealm.name,
    ]

    /// - Parameter operation: for example `person.edit`. One that no page knows is shown as it is.
    static func cell(_ operation: String) -> Cell {
        if let action = audited[operation] { return .sentence(Sentence(action: action.rawValue)) }
        return named.contains(operation) ? .sentence(word(operation)) : .verbatim(operation)
    }

    private static func word(_ operation: String) -> Sentence {
        Sentence("consoleChange.\(operation.sentenceName)")
    }

    static let sentences = named.map(word)
}
