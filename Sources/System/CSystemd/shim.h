#include <systemd/sd-bus.h>

// The type and the result are variadic arguments, which Swift cannot pass.
static inline int lanyard_sd_bus_get_boolean(
    sd_bus *bus, const char *destination, const char *path, const char *interface, const char *member, int *value)
{
    return sd_bus_get_property_trivial(bus, destination, path, interface, member, 0, 'b', value);
}
