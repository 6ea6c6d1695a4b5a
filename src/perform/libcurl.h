/* perform/libcurl.h — libcurl, loaded with the first call.
 *
 * libcurl brings thirty libraries with it, which would cost 5 MiB and 20 ms at every start. An engine whose
 * definitions call nothing over HTTP never loads it.
 */
#ifndef PERFORM_LIBCURL_H
#define PERFORM_LIBCURL_H

#include "base/status.h"

#include <curl/curl.h>

/* clang-format off */
#define LIBCURL_MAP(XX)     \
    XX(global_init)         \
    XX(easy_init)           \
    XX(easy_cleanup)        \
    XX(easy_setopt)         \
    XX(easy_getinfo)        \
    XX(easy_perform)        \
    XX(easy_nextheader)     \
    XX(easy_strerror)       \
    XX(free)                \
    XX(multi_init)          \
    XX(multi_cleanup)       \
    XX(multi_setopt)        \
    XX(multi_add_handle)    \
    XX(multi_remove_handle) \
    XX(multi_perform)       \
    XX(multi_poll)          \
    XX(multi_wakeup)        \
    XX(multi_info_read)     \
    XX(slist_append)        \
    XX(slist_free_all)      \
    XX(url)                 \
    XX(url_cleanup)         \
    XX(url_get)             \
    XX(url_set)
/* clang-format on */

struct libcurl {
#define XX(name) __typeof__(curl_##name) *name;
    LIBCURL_MAP(XX)
#undef XX
};

/* The functions of libcurl, set once libcurl_load() has succeeded in the process. */
extern struct libcurl libcurl;

/* From any thread. ST_INTERNAL if libcurl is missing or too old. */
enum status libcurl_load(struct error *err);

/* Makes a transfer trust the certificates that SSL_CERT_FILE and SSL_CERT_DIR name, as OpenSSL's own programs
 * do. libcurl reads neither variable itself. */
void libcurl_trust(CURL *easy);

#endif
