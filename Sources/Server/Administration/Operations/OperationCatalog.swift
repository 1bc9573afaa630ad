/// All operations. The API offers them and describes itself from them, and tests run each of them.
package enum OperationCatalog {
    package static let inquiries: [any Inquiry.Type] = [
        AskForTimestamp.self, CompareImports.self, DescribePerson.self, ExplainAccess.self, ExportAudit.self,
        ListAPIClients.self, ListApps.self, ListAudit.self, ListChanges.self, ListClasses.self, ListConsents.self,
        ListDevices.self, ListDomains.self, ListDueDates.self, ListErasures.self, ListFindings.self,
        ListHolds.self, ListImports.self,
        ListKeys.self, ListLocations.self, ListNotifications.self, ListOrganizations.self, ListPeople.self,
        ListPickUps.self, ListReaders.self, ListRealms.self, ListRetention.self, ListRoles.self, ListSenders.self,
        ListSigningKeys.self, ListTeamChanges.self, ListTeams.self, ListTerms.self, SearchApps<DataSharing>.self,
        SearchApps<SigningIn>.self,
        ShowAccess<DataSharing>.self, ShowAccess<SigningIn>.self, ShowActivity.self,
        ShowApp.self, ShowClass.self, ShowConsent.self, ShowDevice.self, ShowDue.self, ShowImport.self,
        ShowLocation.self,
        ShowMail.self, ShowOrganization.self, ShowPerson.self, ShowPickUp.self, ShowRealmReach.self, ShowSandbox.self,
        ShowSharing.self, ShowSignIns.self, ShowSignOnProfile.self, ShowTeam.self, ViewAsApp.self,
    ]

    package static let changes: [any Change.Type] = [
        AcceptApp.self, AcknowledgeErasure.self, AddAPIClient.self, AddClass.self, AddDomain.self, AddHold.self,
        AddLocation.self, AddMember.self, AddPerson.self, AddRole.self, AddSender.self, AddTeam.self, AddTerm.self,
        AllowApp<DataSharing>.self, AllowApp<SigningIn>.self, AnchorAudit.self, ApplyIDMap.self, ArchiveClass.self,
        CloseOrganization.self, CloseTerm.self, CreateApp.self, CreateSandbox.self, DeactivatePerson.self,
        DeclineApp.self,
        DisallowApp<DataSharing>.self,
        DisallowApp<SigningIn>.self, DiscardImport.self, EditClass.self, EditLocation.self, EditPerson.self,
        EditTerm.self, EndHold.self, ErasePerson.self, GuessIDMap.self, ImportRoster.self, InviteMember.self,
        IssueDeviceCode.self, IssuePassword.self, IssuePasswords.self, IssueSandboxPassword.self, JoinTeam.self,
        LeaveOut.self, LimitConsent.self,
        MakeClientSecret.self, MergePeople.self, OfferApp.self, ProveDomain.self, PutBack.self, ReactivatePerson.self,
        ReadPickUp.self,
        RegisterKey.self, RemoveApp.self, RemoveClass.self, RemoveClient.self, RemoveDevice.self, RemoveDomain.self,
        RemoveLocation.self, RemoveMember.self, RemovePickUp.self, RemoveRealm.self, RemoveRole.self,
        RemoveSandbox.self, RemoveSender.self,
        RemoveTeam.self,
        RenamePerson.self,
        RenameTeam.self, RenewConsent.self, ReopenOrganization.self, ReopenTerm.self, ReplayErasures.self,
        ResendNotification.self, ResetFactors.self, RestoreClass.self, RestoreLocation.self, RetireSigningKey.self,
        RevokeAPIClient.self,
        RevokeConsent.self, RevokeKey.self, RotateSigningKeys.self, SeparatePeople.self,
        SetAccessMode<DataSharing>.self, SetAccessMode<SigningIn>.self, SetApp.self, SetAppIcon.self,
        SetClient.self, SetConsentTerm.self, SetOrganization.self, SetPickUp.self, SetPicture.self, SetRealm.self,
        SetRetention.self, SetRole.self, SetSharing.self,
        SignOutPerson.self, TransferApp.self, UndoIDMap.self, UndoImport.self, UnlockPerson.self, VerifyDomain.self,
        WithdrawInvitations.self, WithdrawOffer.self,
    ]

    package static var all: [any Operation.Type] { inquiries as [any Operation.Type] + changes }

    /// The bulk form of each change, but for those that are for many anyway.
    package static let bulk: [any Change.Type] = changes.filter { $0.hasBulkForm }.map { bulk($0) }

    private static func bulk<C: Change>(_: C.Type) -> any Change.Type { Bulk<C>.self }

    static func change(named name: String) -> (any Change.Type)? { (changes + bulk).first { $0.name == name } }
}
