extension Schema {
    static let importMemory = """
        -- Which import had added the row that a later one removed, so that undoing both takes it back too.
        ALTER TABLE undo_role ADD COLUMN added_by INTEGER;
        ALTER TABLE undo_instructor ADD COLUMN added_by INTEGER;
        ALTER TABLE undo_student ADD COLUMN added_by INTEGER;

        -- Since when what undoes the import is not kept any more. Until now it was kept for the last one only.
        ALTER TABLE roster_import ADD COLUMN forgotten_at INTEGER;
        UPDATE roster_import SET forgotten_at = applied_at
        WHERE undone_at IS NULL AND EXISTS (
            SELECT 1 FROM roster_import AS later
            WHERE later.organization_id = roster_import.organization_id AND later.id > roster_import.id
        );
        CREATE INDEX roster_import_kept ON roster_import (applied_at) WHERE forgotten_at IS NULL AND undone_at IS NULL;
        """
}
