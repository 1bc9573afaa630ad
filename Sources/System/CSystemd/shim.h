#include <errno.h>
#include <systemd/sd-bus.h>

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

// Sends a signal on the bus of the person's session, with a text and, unless it is 0, a time in seconds since 1970.
//
// - Parameter patience: how many microseconds the bus may take to let this process in.
// - Returns: less than 0 if it was not sent, such as where there is no bus.
static inline int lanyard_sd_bus_tell(
    const char *path, const char *interface, const char *member, const char *text, int64_t time, uint64_t patience)
{
    sd_bus *bus = NULL;
    int status = sd_bus_open_user(&bus);
    if (status < 0)
        return status;
    // Flushing alone would wait without a limit for a bus that accepts and says nothing.
    while ((status = sd_bus_is_ready(bus)) == 0) {
        status = sd_bus_process(bus, NULL);
        if (status < 0)
            break;
        if (status > 0)
            continue;
        status = sd_bus_wait(bus, patience);
        if (status == 0)
            status = -ETIMEDOUT;
        if (status < 0)
            break;
    }
    if (status >= 0)
        status = time != 0 ? sd_bus_emit_signal(bus, path, interface, member, "sx", text, time)
                           : sd_bus_emit_signal(bus, path, interface, member, "s", text);
    if (status >= 0)
        status = sd_bus_flush(bus);
    sd_bus_close_unref(bus);
    return status;
}
