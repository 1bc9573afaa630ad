extension Defect {
    /// Stable names: scripts and other programs may rely on them.
    package enum Code: String, Codable, CaseIterable, Sendable {
        // The folder or archive.
        case unreadableArchive = "unreadable_archive"
        case archiveTooLarge = "archive_too_large"
        case suspiciousCompression = "suspicious_compression"
        case unsafePath = "unsafe_path"
        case folderInArchive = "folder_in_archive"
        case notARegularFile = "not_a_regular_file"
        case encryptedFile = "encrypted_file"
        case duplicateFile = "duplicate_file"
        case unexpectedFile = "unexpected_file"
        case missingFile = "missing_file"
        case foreignFormat = "foreign_format"
        case unreadableFile = "unreadable_file"

        // A file as a whole.
        case emptyFile = "empty_file"
        case wrongEncoding = "wrong_encoding"
        case byteOrderMark = "byte_order_mark"
        case wrongLineEnding = "wrong_line_ending"

        // The header row.
        case wrongSeparator = "wrong_separator"
        case wrongHeader = "wrong_header"
        case missingColumn = "missing_column"
        case misspeltColumn = "misspelt_column"
        case duplicateColumn = "duplicate_column"
        case unknownColumn = "unknown_column"

        // The form of a row.
        case rowTooLong = "row_too_long"
        case tooManyBlankLines = "too_many_blank_lines"
        case wrongCellCount = "wrong_cell_count"
        case unbalancedQuote = "unbalanced_quote"
        case strayQuote = "stray_quote"
        case curlyQuotes = "curly_quotes"
        case spaceAfterSeparator = "space_after_separator"
        case spaceBeforeSeparator = "space_before_separator"
        case notUTF8 = "not_utf8"
        case controlCharacter = "control_character"

        // A value.
        case valueMissing = "value_missing"
        case valueTooLong = "value_too_long"
        case valueNotAllowed = "value_not_allowed"
        case invalidIdentifier = "invalid_identifier"
        case unusualIdentifier = "unusual_identifier"
        case decimalIdentifier = "decimal_identifier"
        case invisibleCharacter = "invisible_character"
        case formula
        case invalidEmailAddress = "invalid_email_address"

        // Several rows, or a row and what the organization has.
        case duplicateIdentifier = "duplicate_identifier"
        case duplicateMembership = "duplicate_membership"
        case unknownReference = "unknown_reference"
        case locationInUse = "location_in_use"
        /// Apple School Manager's own name for it: a field of the user-name format is empty.
        case managedIDGenerationFailed = "MANAGED_ID_GENERATION_FAILED"
        case courseElsewhere = "course_elsewhere"
        case studentElsewhere = "student_elsewhere"
        case recordTakenOver = "record_taken_over"
        case deactivatedByHand = "deactivated_by_hand"
        case erasedPerson = "erased_person"
        case classRestored = "class_restored"
        case lastAdministrator = "last_administrator"
        case newPersonUnknown = "new_person_unknown"
        case newPersonNeedless = "new_person_needless"
        case newPersonForAdministrator = "new_person_for_administrator"
        case newPersonElsewhere = "new_person_elsewhere"
        // The files of single schools.
        case otherSchool = "other_school"
        case schoolMissing = "school_missing"
        case otherSchoolsRecord = "other_schools_record"
        case sharedEmailAddress = "shared_email_address"

        package var severity: Severity {
            switch self {
            case .unexpectedFile, .byteOrderMark, .unknownColumn, .spaceBeforeSeparator, .unusualIdentifier,
                .decimalIdentifier,
                .formula, .duplicateMembership,
                .courseElsewhere, .studentElsewhere, .recordTakenOver, .deactivatedByHand, .erasedPerson,
                .classRestored,
                .lastAdministrator,
                .newPersonNeedless, .sharedEmailAddress:
                .warning
            default: .error
            }
        }
    }
}
