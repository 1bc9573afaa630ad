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
