extension Schema {
    static let notificationLog = """
        -- Notifications that were delivered, without what they said and about whom: so that the developers of an app see
        -- which of them went out. They are deleted after a month.
        CREATE TABLE notification_delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app_id INTEGER NOT NULL REFERENCES app (id),
            jti TEXT NOT NULL,
            type TEXT NOT NULL,                          -- such as consent-revoked, or logout
            attempts INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            delivered_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX notification_delivery_app ON notification_delivery (app_id, id);
        CREATE INDEX notification_delivery_age ON notification_delivery (delivered_at);
        """
}
