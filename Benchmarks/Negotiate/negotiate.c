// The yardstick for answers to Negotiate: what a program that calls GSSAPI by itself does for each request. It reads lines, and
// answers each with the token for the service that is its argument, such as HTTP@intranet.school.test.
#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gss_OID_desc spnego = { 6, "\x2b\x06\x01\x05\x05\x02" };

static void check(OM_uint32 major, const char *what)
{
    if (GSS_ERROR(major)) {
        fprintf(stderr, "%s: %u\n", what, major);
        exit(1);
    }
}

int main(int count, char **words)
{
    if (count != 2)
        return 64;
    OM_uint32 minor;
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        gss_buffer_desc text = { strlen(words[1]), words[1] }, token = GSS_C_EMPTY_BUFFER;
        gss_name_t target = GSS_C_NO_NAME;
        gss_ctx_id_t context = GSS_C_NO_CONTEXT;
        check(gss_import_name(&minor, &text, GSS_C_NT_HOSTBASED_SERVICE, &target), "the name");
        check(
            gss_init_sec_context(
                &minor, GSS_C_NO_CREDENTIAL, &context, target, &spnego, GSS_C_MUTUAL_FLAG | GSS_C_SEQUENCE_FLAG, 0,
                GSS_C_NO_CHANNEL_BINDINGS, GSS_C_NO_BUFFER, NULL, &token, NULL, NULL),
            "the token");
        for (size_t place = 0; place < token.length; place++)
            printf("%02x", ((unsigned char *)token.value)[place]);
        puts("");
        fflush(stdout);
        gss_release_buffer(&minor, &token);
        gss_delete_sec_context(&minor, &context, GSS_C_NO_BUFFER);
        gss_release_name(&minor, &target);
    }
    return 0;
}
