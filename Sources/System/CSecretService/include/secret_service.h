#pragma once
#include <stddef.h>

/// How a call to the Secret Service ended.
typedef enum {
    LANYARD_SECRET_FOUND,
    /// The service is unlocked and has no such secret.
    LANYARD_SECRET_MISSING,
    /// The default collection of the service is locked.
    LANYARD_SECRET_LOCKED,
    /// There is no session bus, or no service on it, or it did not answer in time.
    LANYARD_SECRET_UNAVAILABLE,
} lanyard_secret_result;

/// Reads a secret from the desktop's Secret Service (org.freedesktop.secrets), without prompting the user to unlock it.
/// Writes at most `size` bytes to `secret`, and their number to `length`.
lanyard_secret_result lanyard_secret_read(
    const char *application, const char *purpose, void *secret, size_t size, size_t *length);

/// Stores a secret in the default collection. Returns LANYARD_SECRET_FOUND if it was stored.
lanyard_secret_result lanyard_secret_write(
    const char *application, const char *purpose, const char *label, const void *secret, size_t length);

/// Whether a program on the session bus owns org.freedesktop.ScreenSaver, which locks the screen: 1 or 0; -1 if there
/// is no bus.
int lanyard_screen_locker(void);
