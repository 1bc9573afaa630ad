// A module of MIT Kerberos for the programs of a person (ccselect): before a program takes a ticket for a host of a profile, the
// broker is asked for a good one, and that one is taken. docs/decisions/0066-tickets-for-other-programs.md.
//
// It is loaded into other people's programs. So it shows nothing, keeps nothing between two calls, starts no process and
// no thread, touches no signal, and leaves everything as it was if anything is not as expected.
#include <errno.h>
#include <fcntl.h>
#include <krb5/ccselect_plugin.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// The extension gives up a server that says nothing after eight seconds.
enum { patience_milliseconds = 12000, answer_bytes_max = 64 * 1024, name_bytes_max = 1024 };

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

// Waits until the socket can be read or written, or the deadline has passed.
static bool is_ready(int connection, short events, long long deadline)
{
    for (;;) {
        const long long left = deadline - now();
        if (left <= 0)
            return false;
        struct pollfd wanted = { .fd = connection, .events = events };
        const int count = poll(&wanted, 1, (int)left);
        if (count > 0)
            return true;
        if (count == 0 || errno != EINTR)
            return false;
    }
}

// - Returns: a connection to the broker, or -1.
static int connected(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *named = getenv("LANYARD_SSO_SOCKET"), *folder = getenv("XDG_RUNTIME_DIR");
    int length = -1;
    if (named && named[0] == '/')
        length = snprintf(address.sun_path, sizeof address.sun_path, "%s", named);
    else if (folder && folder[0] == '/')
        length = snprintf(address.sun_path, sizeof address.sun_path, "%s/lanyard/sso.sock", folder);
    if (length < 0 || (size_t)length >= sizeof address.sun_path)
        return -1;
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection < 0)
        return -1;
    // A socket that accepts nobody answers EAGAIN, and is not waited for.
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) {
        close(connection);
        return -1;
    }
    return connection;
}

static bool send_all(int connection, const char *text, long long deadline)
{
    size_t left = strlen(text);
    while (left > 0) {
        // Without a signal if the broker is gone, because the program may not expect one.
        const ssize_t count = send(connection, text, left, MSG_NOSIGNAL);
        if (count > 0) {
            text += count;
            left -= (size_t)count;
        } else if (errno == EAGAIN ? !is_ready(connection, POLLOUT, deadline) : errno != EINTR) {
            return false;
        }
    }
    return true;
}

// - Returns: everything up to the end of the connection, which is to be freed; NULL if it is too much or comes too late.
static char *receive_all(int connection, long long deadline)
{
    char *text = malloc(answer_bytes_max + 1);
    size_t length = 0;
    while (text) {
        const ssize_t count = recv(connection, text + length, answer_bytes_max - length, 0);
        if (count == 0) {
            text[length] = '\0';
            return text;
        }
        if (count > 0)
            length += (size_t)count;
        const bool goes_on =
            count > 0 ? length < answer_bytes_max : errno == EAGAIN ? is_ready(connection, POLLIN, deadline) : errno == EINTR;
        if (!goes_on)
            break;
    }
    free(text);
    return NULL;
}

// Reads the name of the cache out of the broker's answer, whose headers are pairs of JSON.
static bool cache_name(const char *answer, char name[name_bytes_max])
{
    static const char before[] = "\"X-SSO-Kerberos-Cache-Name\",\"";
    if (strncmp(answer, "HTTP/1.1 200 ", 13) != 0)
        return false;
    const char *text = strstr(answer, before);
    if (!text)
        return false;
    text += strlen(before);
    size_t length = 0;
    for (; *text != '"'; text++) {
        // A slash may be escaped. A name with another escape is none of ours.
        if (*text == '\\' && *++text != '/')
            return false;
        if ((unsigned char)*text < 0x20 || length + 1 >= name_bytes_max)
            return false;
        name[length++] = *text;
    }
    name[length] = '\0';
    return strchr(name, ':') != NULL;
}

// Asks the broker for a good ticket for the host.
static bool ask(const char *host, char name[name_bytes_max])
{
    const long long deadline = now() + patience_milliseconds;
    const int connection = connected();
    if (connection < 0)
        return false;
    char body[512], request[1024];
    snprintf(body, sizeof body, "{\"url\":\"sso-host:%s\",\"operation\":\"ticket\",\"presentation\":\"none\"}", host);
    snprintf(
        request, sizeof request,
        "POST /v1/requests HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
        "Content-Length: %zu\r\n\r\n%s",
        strlen(body), body);
    char *answer = send_all(connection, request, deadline) ? receive_all(connection, deadline) : NULL;
    close(connection);
    const bool is_found = answer && cache_name(answer, name);
    free(answer);
    return is_found;
}

// - Returns: whether the second part of the service's name is a host that can stand in JSON and a URL as it is.
static bool host_of(krb5_principal server, char host[256])
{
    if (server->length != 2 || server->data[1].length == 0 || server->data[1].length > 255)
        return false;
    const krb5_data first = server->data[0], second = server->data[1];
    if (first.length == 6 && memcmp(first.data, "krbtgt", 6) == 0)
        return false;
    for (unsigned int place = 0; place < second.length; place++) {
        const char letter = second.data[place];
        const bool is_fine = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
            || (letter >= '0' && letter <= '9') || letter == '-' || letter == '.' || letter == '_';
        if (!is_fine)
            return false;
        host[place] = letter;
    }
    host[second.length] = '\0';
    return true;
}

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

// Whether the session or the person says which ticket it has to be. The names of collections say only where to look.
static bool is_named(void)
{
    const char *name = getenv("KRB5CCNAME");
    if (!name)
        return false;
    static const char *const alone[] = { "/", "FILE:", "MEMORY:", "DIR::" };
    for (size_t place = 0; place < sizeof alone / sizeof *alone; place++)
        if (begins(name, alone[place]))
            return true;
    int colons = 0;
    for (const char *letter = name; *letter; letter++)
        colons += *letter == ':';
    // KCM:1000 and KEYRING:persistent:1000 are all caches of somebody, and another part names one of them. A keyring with
    // a name alone is a single cache.
    return begins(name, "KCM:") ? colons > 1 : begins(name, "KEYRING:") && colons != 2;
}

static krb5_error_code begin(krb5_context context, krb5_ccselect_moddata *data, int *priority)
{
    (void)context;
    *data = NULL;
    *priority = KRB5_CCSELECT_PRIORITY_AUTHORITATIVE;
    return 0;
}

static krb5_error_code choose(
    krb5_context context, krb5_ccselect_moddata data, krb5_principal server, krb5_ccache *cache, krb5_principal *client)
{
    (void)data;
    char host[256], name[name_bytes_max];
    if (is_named() || !host_of(server, host) || !ask(host, name))
        return KRB5_PLUGIN_NO_HANDLE;
    if (krb5_cc_resolve(context, name, cache) != 0)
        return KRB5_PLUGIN_NO_HANDLE;
    // In a sandbox the cache may be out of reach. Then other modules choose.
    if (krb5_cc_get_principal(context, *cache, client) != 0) {
        krb5_cc_close(context, *cache);
        *cache = NULL;
        return KRB5_PLUGIN_NO_HANDLE;
    }
    return 0;
}

__attribute__((visibility("default"))) krb5_error_code
ccselect_lanyard_initvt(krb5_context context, int major, int minor, krb5_plugin_vtable table)
{
    (void)context;
    (void)minor;
    if (major != 1)
        return KRB5_PLUGIN_VER_NOTSUPP;
    krb5_ccselect_vtable methods = (krb5_ccselect_vtable)table;
    methods->name = "lanyard";
    methods->init = begin;
    methods->choose = choose;
    return 0;
}
