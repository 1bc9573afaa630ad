#include <curl/curl.h>

// Swift does not call C functions with "…": one function for each type of option.

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

static inline CURLcode lanyard_curl_response_code(CURL *handle, long *code) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, code);
}
