/// All operations. The API offers them and describes itself from them, and tests run each of them.
package enum OperationCatalog {
    package static let inquiries: [any Inquiry.Type] = [
        AskForTimestamp.self, CompareImports.self, DescribePerson.self, ExplainAccess.self, ExportAudit.self,
        ListAPIClients.self, ListAudit.self, ListChanges.self, ListClasses.self, ListConsents.self, ListDevices.self,
        ListDomains.self, ListDueDates.self, ListErasures.self, ListHolds.self, ListImports.self, ListLocations.self,
        ListOrganizations.self, ListPeople.self, ListReaders.self, ListRetention.self, ListTerms.self,
        SearchApps<DataSharing>.self, SearchApps<SigningIn>.self,
        ShowAccess<DataSharing>.self, ShowAccess<SigningIn>.self, ShowClass.self, ShowConsent.self, ShowDevice.self,
        ShowDue.self, ShowOrganization.self, ShowPerson.self, ShowSharing.self, ViewAsApp.self,
    ]

    package static let changes: [any Change.Type] = [
        AcknowledgeErasure.self, AddAPIClient.self, AddClass.self, AddDomain.self, AddHold.self, AddLocation.self,
        AddPerson.self, AddRole.self, AddTerm.self, AllowApp<DataSharing>.self, AllowApp<SigningIn>.self,
        AnchorAudit.self, ApplyIDMap.self, ArchiveClass.self, CloseOrganization.self, CloseTerm.self,
        DeactivatePerson.self, DisallowApp<DataSharing>.self, DisallowApp<SigningIn>.self, EditClass.self,
        EditLocation.self, EditPerson.self, EditTerm.self, EndHold.self, ErasePerson.self, ImportRoster.self,
        IssueDeviceCode.self, IssuePassword.self, IssuePasswords.self, LeaveOut.self, LimitConsent.self,
        MergePeople.self, PutBack.self, ReactivatePerson.self, RemoveClass.self, RemoveDevice.self, RemoveDomain.self,
        RemoveRole.self, RenamePerson.self, RenewConsent.self, ReopenOrganization.self, ReopenTerm.self,
        ReplayErasures.self, RestoreClass.self, RevokeAPIClient.self, RevokeConsent.self, SeparatePeople.self,
        SetAccessMode<DataSharing>.self, SetAccessMode<SigningIn>.self, SetConsentTerm.self, SetOrganization.self,
        SetRetention.self, SetSharing.self, SignOutPerson.self, UndoIDMap.self, UndoImport.self, UnlockPerson.self,
        VerifyDomain.self,
    ]

    package static var all: [any Operation.Type] { inquiries as [any Operation.Type] + changes }

    /// The bulk form of each change, but for those that are for many anyway.
    package static let bulk: [any Change.Type] = changes.filter { $0.hasBulkForm }.map { bulk($0) }

    private static func bulk<C: Change>(_: C.Type) -> any Change.Type { Bulk<C>.self }

    static func change(named name: String) -> (any Change.Type)? { (changes + bulk).first { $0.name == name } }
}
