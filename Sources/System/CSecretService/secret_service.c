// A client of the Secret Service on the session bus. It loads libsystemd's D-Bus client when it is needed, because most
// starts of an extension do not need it, and because a machine may not have it; the caller then uses a file.

#include "secret_service.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct {
    const char *name;
    const char *message;
    int need_free;
} sd_bus_error;

// Time limit for each call. It is short, because the start of an extension waits for several of them.
static const uint64_t timeout_microseconds = 700 * 1000;

static const char *service = "org.freedesktop.secrets";
static const char *service_path = "/org/freedesktop/secrets";
static const char *service_interface = "org.freedesktop.Secret.Service";
static const char *default_collection = "/org/freedesktop/secrets/aliases/default";

typedef struct {
    int (*open_user)(sd_bus **);
    sd_bus *(*flush_close_unref)(sd_bus *);
    int (*new_method_call)(
        sd_bus *, sd_bus_message **, const char *, const char *, const char *, const char *);
    int (*call)(sd_bus *, sd_bus_message *, uint64_t, sd_bus_error *, sd_bus_message **);
    int (*append)(sd_bus_message *, const char *, ...);
    int (*append_array)(sd_bus_message *, char, const void *, size_t);
    int (*open_container)(sd_bus_message *, char, const char *);
    int (*close_container)(sd_bus_message *);
    int (*read)(sd_bus_message *, const char *, ...);
    int (*read_array)(sd_bus_message *, char, const void **, size_t *);
    int (*enter_container)(sd_bus_message *, char, const char *);
    int (*exit_container)(sd_bus_message *);
    sd_bus_message *(*message_unref)(sd_bus_message *);
    void (*error_free)(sd_bus_error *);
} functions;

static int load(functions *f) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    struct { const char *name; void **place; } wanted[] = {
        {"sd_bus_open_user", (void **)&f->open_user},
        {"sd_bus_flush_close_unref", (void **)&f->flush_close_unref},
        {"sd_bus_message_new_method_call", (void **)&f->new_method_call},
        {"sd_bus_call", (void **)&f->call},
        {"sd_bus_message_append", (void **)&f->append},
        {"sd_bus_message_append_array", (void **)&f->append_array},
        {"sd_bus_message_open_container", (void **)&f->open_container},
        {"sd_bus_message_close_container", (void **)&f->close_container},
        {"sd_bus_message_read", (void **)&f->read},
        {"sd_bus_message_read_array", (void **)&f->read_array},
        {"sd_bus_message_enter_container", (void **)&f->enter_container},
        {"sd_bus_message_exit_container", (void **)&f->exit_container},
        {"sd_bus_message_unref", (void **)&f->message_unref},
        {"sd_bus_error_free", (void **)&f->error_free},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        *wanted[i].place = dlsym(library, wanted[i].name);
        if (!*wanted[i].place) return 0;
    }
    return 1;
}

/// Loads the library and opens the session bus. Only if the environment has its address: otherwise libsystemd would
/// search for one.
static sd_bus *open_bus(functions *f) {
    sd_bus *bus = NULL;
    if (!getenv("DBUS_SESSION_BUS_ADDRESS") && !getenv("XDG_RUNTIME_DIR")) return NULL;
    return load(f) && f->open_user(&bus) >= 0 ? bus : NULL;
}

static sd_bus_message *answer(functions *f, sd_bus *bus, sd_bus_message *call) {
    sd_bus_error error = {0};
    sd_bus_message *reply = NULL;
    f->call(bus, call, timeout_microseconds, &error, &reply);
    f->error_free(&error);
    f->message_unref(call);
    return reply;
}

/// Opens a session without encryption of secrets on the bus, which only this user can read.
static int open_session(functions *f, sd_bus *bus, char *path, size_t size) {
    sd_bus_message *call = NULL;
    if (f->new_method_call(bus, &call, service, service_path, service_interface, "OpenSession") < 0) return 0;
    f->append(call, "sv", "plain", "s", "");
    sd_bus_message *reply = answer(f, bus, call);
    const char *session = NULL;
    int done = reply && f->enter_container(reply, 'v', "s") >= 0 && f->read(reply, "s", NULL) >= 0
        && f->exit_container(reply) >= 0 && f->read(reply, "o", &session) > 0 && strlen(session) < size;
    if (done) strcpy(path, session);
    if (reply) f->message_unref(reply);
    return done;
}

/// Whether the default collection is unlocked: 1 or 0; -1 if there is no service.
static int is_open(functions *f, sd_bus *bus) {
    sd_bus_message *call = NULL;
    if (f->new_method_call(
            bus, &call, service, default_collection, "org.freedesktop.DBus.Properties", "Get") < 0) return -1;
    f->append(call, "ss", "org.freedesktop.Secret.Collection", "Locked");
    sd_bus_message *reply = answer(f, bus, call);
    int locked = 1;
    int done = reply && f->enter_container(reply, 'v', "b") >= 0 && f->read(reply, "b", &locked) > 0;
    if (reply) f->message_unref(reply);
    return done ? !locked : -1;
}

static void append_attributes(
    functions *f, sd_bus_message *call, const char *application, const char *purpose) {
    f->append(call, "a{ss}", 2, "application", application, "purpose", purpose);
}

static lanyard_secret_result find(
    functions *f, sd_bus *bus, const char *application, const char *purpose, char *path, size_t size) {
    sd_bus_message *call = NULL;
    if (f->new_method_call(bus, &call, service, service_path, service_interface, "SearchItems") < 0)
        return LANYARD_SECRET_UNAVAILABLE;
    append_attributes(f, call, application, purpose);
    sd_bus_message *reply = answer(f, bus, call);
    if (!reply) return LANYARD_SECRET_UNAVAILABLE;
    lanyard_secret_result result = LANYARD_SECRET_MISSING;
    const char *item = NULL;
    // The reply has unlocked items first, then locked ones.
    if (f->enter_container(reply, 'a', "o") >= 0) {
        if (f->read(reply, "o", &item) > 0 && strlen(item) < size) {
            strcpy(path, item);
            result = LANYARD_SECRET_FOUND;
            while (f->read(reply, "o", &item) > 0) {}
        }
        f->exit_container(reply);
    }
    if (result == LANYARD_SECRET_MISSING && f->enter_container(reply, 'a', "o") >= 0
        && f->read(reply, "o", &item) > 0)
        result = LANYARD_SECRET_LOCKED;
    f->message_unref(reply);
    return result;
}

lanyard_secret_result lanyard_secret_read(
    const char *application, const char *purpose, void *secret, size_t size, size_t *length) {
    functions f;
    char session[256], item[256];
    sd_bus *bus = open_bus(&f);
    if (!bus) return LANYARD_SECRET_UNAVAILABLE;
    lanyard_secret_result result = find(&f, bus, application, purpose, item, sizeof item);
    if (result == LANYARD_SECRET_MISSING) {
        int open = is_open(&f, bus);
        if (open != 1) result = open == 0 ? LANYARD_SECRET_LOCKED : LANYARD_SECRET_UNAVAILABLE;
    } else if (result == LANYARD_SECRET_FOUND) {
        result = LANYARD_SECRET_UNAVAILABLE;
        sd_bus_message *call = NULL;
        if (open_session(&f, bus, session, sizeof session)
            && f.new_method_call(bus, &call, service, item, "org.freedesktop.Secret.Item", "GetSecret") >= 0) {
            f.append(call, "o", session);
            sd_bus_message *reply = answer(&f, bus, call);
            const void *bytes = NULL, *ignored = NULL;
            size_t count = 0, ignored_count = 0;
            if (reply && f.enter_container(reply, 'r', "oayays") >= 0 && f.read(reply, "o", NULL) >= 0
                && f.read_array(reply, 'y', &ignored, &ignored_count) >= 0
                && f.read_array(reply, 'y', &bytes, &count) >= 0 && count <= size) {
                memcpy(secret, bytes, count);
                *length = count;
                result = LANYARD_SECRET_FOUND;
            }
            if (reply) f.message_unref(reply);
        }
    }
    f.flush_close_unref(bus);
    return result;
}

lanyard_secret_result lanyard_secret_write(
    const char *application, const char *purpose, const char *label, const void *secret, size_t length) {
    functions f;
    char session[256];
    sd_bus *bus = open_bus(&f);
    if (!bus) return LANYARD_SECRET_UNAVAILABLE;
    lanyard_secret_result result = LANYARD_SECRET_UNAVAILABLE;
    sd_bus_message *call = NULL;
    if (open_session(&f, bus, session, sizeof session)
        && f.new_method_call(
               bus, &call, service, default_collection, "org.freedesktop.Secret.Collection", "CreateItem") >= 0) {
        f.open_container(call, 'a', "{sv}");
        f.append(call, "{sv}", "org.freedesktop.Secret.Item.Label", "s", label);
        f.open_container(call, 'e', "sv");
        f.append(call, "s", "org.freedesktop.Secret.Item.Attributes");
        f.open_container(call, 'v', "a{ss}");
        append_attributes(&f, call, application, purpose);
        f.close_container(call);
        f.close_container(call);
        f.close_container(call);
        f.open_container(call, 'r', "oayays");
        f.append(call, "o", session);
        f.append_array(call, 'y', "", 0);
        f.append_array(call, 'y', secret, length);
        f.append(call, "s", "application/octet-stream");
        f.close_container(call);
        f.append(call, "b", 1);
        sd_bus_message *reply = answer(&f, bus, call);
        const char *item = NULL;
        // The path "/" means that the service wants to prompt the user.
        if (reply && f.read(reply, "o", &item) > 0)
            result = strcmp(item, "/") ? LANYARD_SECRET_FOUND : LANYARD_SECRET_LOCKED;
        if (reply) f.message_unref(reply);
    }
    f.flush_close_unref(bus);
    return result;
}

int lanyard_screen_locker(void) {
    functions f;
    sd_bus *bus = open_bus(&f);
    if (!bus) return -1;
    sd_bus_message *call = NULL;
    int owned = 0, result = -1;
    if (f.new_method_call(
            bus, &call, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner")
        >= 0) {
        f.append(call, "s", "org.freedesktop.ScreenSaver");
        sd_bus_message *reply = answer(&f, bus, call);
        if (reply && f.read(reply, "b", &owned) > 0) result = owned != 0;
        if (reply) f.message_unref(reply);
    }
    f.flush_close_unref(bus);
    return result;
}
