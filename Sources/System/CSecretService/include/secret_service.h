#pragma once
#include <stddef.h>

/// How a call to the Secret Service ended.
typedef enum {
    LANYARD_SECRET_FOUND,
    /// The service is there and open, and has no such secret.
    LANYARD_SECRET_MISSING,
    /// The service is there, but its collection is locked.
    LANYARD_SECRET_LOCKED,
    /// There is no session bus, or no service on it, or it did not answer in time.
    LANYARD_SECRET_UNAVAILABLE,
} lanyard_secret_result;

/// Reads a secret of the desktop's Secret Service (org.freedesktop.secrets). Nobody is asked to unlock it.
/// At most `size` bytes are written to `secret`, and their number to `length`.
lanyard_secret_result lanyard_secret_read(
    const char *application, const char *purpose, void *secret, size_t size, size_t *length);

/// Keeps a secret in the default collection. Returns LANYARD_SECRET_FOUND if it was kept.
lanyard_secret_result lanyard_secret_write(
    const char *application, const char *purpose, const char *label, const void *secret, size_t length);

/// Whether somebody on the session bus locks the screen: 1, 0, or -1 if nobody can tell.
int lanyard_screen_locker(void);
