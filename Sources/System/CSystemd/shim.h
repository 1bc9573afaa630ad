#include <errno.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

// The type and the result are variadic arguments, which Swift cannot pass.
static inline int lanyard_sd_bus_get_boolean(
    sd_bus *bus, const char *destination, const char *path, const char *interface, const char *member, int *value)
{
    return sd_bus_get_property_trivial(bus, destination, path, interface, member, 0, 'b', value);
}

// The desktop decides how long it shows it. Nothing answers to a click.
static inline int lanyard_sd_bus_notify(
    sd_bus *bus, const char *application, const char *icon, const char *title, const char *text)
{
    return sd_bus_call_method(
        bus, "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "Notify",
        0, 0, "susssasa{sv}i", application, (uint32_t)0, icon, title, text, 0, 0, (int32_t)-1);
}

// Opens the bus of the person's session, and waits until it has let this process in. Whoever calls it closes the bus.
//
// - Parameter patience: how many microseconds the bus may take.
// - Returns: less than 0 if there is no bus, or it says nothing.
static inline int lanyard_sd_bus_open_session(sd_bus **bus, uint64_t patience)
{
    int status = sd_bus_open_user(bus);
    if (status < 0)
        return status;
    // Any call would first wait for a bus that accepts and says nothing, and for much longer.
    while ((status = sd_bus_is_ready(*bus)) == 0) {
        status = sd_bus_process(*bus, NULL);
        if (status < 0)
            break;
        if (status > 0)
            continue;
        status = sd_bus_wait(*bus, patience);
        if (status == 0)
            status = -ETIMEDOUT;
        if (status < 0)
            break;
    }
    if (status < 0) {
        sd_bus_close_unref(*bus);
        *bus = NULL;
    }
    return status;
}

// Sends a signal on the bus of the person's session, with a text and, unless it is 0, a time in seconds since 1970.
//
// - Parameter patience: how many microseconds the bus may take to let this process in.
// - Returns: less than 0 if it was not sent, such as where there is no bus.
static inline int lanyard_sd_bus_tell(
    const char *path, const char *interface, const char *member, const char *text, int64_t time, uint64_t patience)
{
    sd_bus *bus = NULL;
    int status = lanyard_sd_bus_open_session(&bus, patience);
    if (status < 0)
        return status;
    status = time != 0 ? sd_bus_emit_signal(bus, path, interface, member, "sx", text, time)
                           : sd_bus_emit_signal(bus, path, interface, member, "s", text);
    if (status >= 0)
        status = sd_bus_flush(bus);
    sd_bus_close_unref(bus);
    return status;
}
