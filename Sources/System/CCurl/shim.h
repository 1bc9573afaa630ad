#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Swift cannot call variadic C functions, so there is one function for each type of option.

static inline CURLcode lanyard_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lanyard_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lanyard_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lanyard_curl_set_buffer(CURL *handle, CURLoption option, char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode lanyard_curl_set_reader(CURL *handle, curl_read_callback reader, void *context) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_READFUNCTION, reader);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_READDATA, context) : result;
}

/// A number that is known of the last transfer; 0 if it is not.
static inline long lanyard_curl_info(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/// The socket of a connection that was made with CURLOPT_CONNECT_ONLY; CURL_SOCKET_BAD if there is none.
static inline curl_socket_t lanyard_curl_socket(CURL *handle) {
    curl_socket_t found = CURL_SOCKET_BAD;
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &found) == CURLE_OK ? found : CURL_SOCKET_BAD;
}

/// Whether a transfer with CURLE_PEER_FAILED_VERIFICATION has failed for the name in the certificate alone. libcurl looks at the
/// name itself, after OpenSSL has found nothing, and then says 0 or, in most versions, what it began with, which is 1.
static inline int lanyard_curl_is_name_refused(CURL *handle) {
    long result = lanyard_curl_info(handle, CURLINFO_SSL_VERIFYRESULT);
    return result == 0 || result == 1;
}

/// What the server's own certificate says, of a transfer with CURLOPT_CERTINFO: `Cert` for all of it in PEM, `Expire date`, `Issuer`.
/// NULL without TLS. It lives as long as the handle makes no other transfer.
static inline const char *lanyard_curl_certificate_field(CURL *handle, const char *name) {
    struct curl_certinfo *found = NULL;
    size_t length = strlen(name);
    if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &found) != CURLE_OK || !found || found->num_of_certs < 1) return NULL;
    for (struct curl_slist *line = found->certinfo[0]; line; line = line->next) {
        if (strncmp(line->data, name, length) == 0 && line->data[length] == ':') return line->data + length + 1;
    }
    return NULL;
}

/// The server's own certificate in PEM.
static inline const char *lanyard_curl_certificate(CURL *handle) { return lanyard_curl_certificate_field(handle, "Cert"); }

static inline CURLcode lanyard_curl_set_receiver(
    CURL *handle, curl_write_callback body, curl_write_callback head, void *context) {
    CURLcode results[] = {
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body),
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, context),
        curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, head),
        curl_easy_setopt(handle, CURLOPT_HEADERDATA, context),
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        if (results[i] != CURLE_OK) return results[i];
    }
    return CURLE_OK;
}

/// Copies the bytes.
static inline CURLcode lanyard_curl_set_post(CURL *handle, const void *bytes, size_t count) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, (const char *)bytes) : result;
}

/// Certificate authorities in PEM that are trusted besides those of the system. Copies the bytes.
static inline CURLcode lanyard_curl_set_authorities(CURL *handle, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &blob);
}

static inline CURLcode lanyard_curl_set_share(CURL *handle, CURLSH *share) {
    return curl_easy_setopt(handle, CURLOPT_SHARE, share);
}

/// The cookies, each as a line of Netscape's format. The caller frees the list with curl_slist_free_all.
static inline struct curl_slist *lanyard_curl_cookies(CURL *handle) {
    struct curl_slist *cookies = NULL;
    return curl_easy_getinfo(handle, CURLINFO_COOKIELIST, &cookies) == CURLE_OK ? cookies : NULL;
}

// Data that several transfers share is guarded by one mutex for each kind of data.

typedef struct {
    pthread_mutex_t mutexes[CURL_LOCK_DATA_LAST];
} lanyard_curl_locks;

static inline void lanyard_curl_lock(CURL *handle, curl_lock_data data, curl_lock_access access, void *context) {
    (void)handle, (void)access;
    pthread_mutex_lock(&((lanyard_curl_locks *)context)->mutexes[data]);
}

static inline void lanyard_curl_unlock(CURL *handle, curl_lock_data data, void *context) {
    (void)handle;
    pthread_mutex_unlock(&((lanyard_curl_locks *)context)->mutexes[data]);
}

/// A cookie jar that concurrent transfers share. It is never freed.
static inline CURLSH *lanyard_curl_share(void) {
    lanyard_curl_locks *locks = (lanyard_curl_locks *)calloc(1, sizeof *locks);
    CURLSH *share = curl_share_init();
    if (!locks || !share) return NULL;
    for (int i = 0; i < CURL_LOCK_DATA_LAST; i++) pthread_mutex_init(&locks->mutexes[i], NULL);
    curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lanyard_curl_lock);
    curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, lanyard_curl_unlock);
    curl_share_setopt(share, CURLSHOPT_USERDATA, locks);
    curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    return share;
}
