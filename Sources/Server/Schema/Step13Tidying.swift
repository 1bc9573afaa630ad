extension Schema {
    static let tidying = """
        -- Notifications are deleted when they are delivered; in those that were given up, the claims are blank.
        DELETE FROM notification WHERE delivered_at IS NOT NULL;
        ALTER TABLE notification DROP COLUMN delivered_at;
        UPDATE notification SET claims = '' WHERE next_attempt_at IS NULL;
        CREATE INDEX notification_given_up ON notification (created_at) WHERE next_attempt_at IS NULL;
        -- For finding the notifications that are due for one app.
        DROP INDEX notification_app;
        CREATE INDEX notification_app ON notification (app_id, next_attempt_at);

        -- Grants for which no token can be issued any more are deleted after some time.
        CREATE INDEX access_grant_revoked ON access_grant (revoked_at) WHERE revoked_at IS NOT NULL;
        CREATE INDEX access_grant_single ON access_grant (created_at) WHERE refresh_token_hash IS NULL;
        """
}
