extension Schema {
    static let tidying = """
        -- A notification is deleted once it was delivered; of one that was given up, the claims are blank.
        DELETE FROM notification WHERE delivered_at IS NOT NULL;
        ALTER TABLE notification DROP COLUMN delivered_at;
        UPDATE notification SET claims = '' WHERE next_attempt_at IS NULL;
        CREATE INDEX notification_given_up ON notification (created_at) WHERE next_attempt_at IS NULL;
        -- What is due, app by app.
        DROP INDEX notification_app;
        CREATE INDEX notification_app ON notification (app_id, next_attempt_at);

        -- Grants that give no token any more are deleted after a while.
        CREATE INDEX access_grant_revoked ON access_grant (revoked_at) WHERE revoked_at IS NOT NULL;
        CREATE INDEX access_grant_single ON access_grant (created_at) WHERE refresh_token_hash IS NULL;
        """
}
