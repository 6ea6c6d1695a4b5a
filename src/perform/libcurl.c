/* perform/libcurl.c — loads libcurl, finds its functions, and tells it which certificates to trust. */
#include "perform/libcurl.h"

#include "base/must.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

struct libcurl libcurl;

static const char *trouble; /* Why libcurl cannot be used; NULL: it can. */

static void load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        trouble = "libcurl.so.4 cannot be loaded";
        return;
    }
    /* POSIX requires that a function's address fits a pointer to an object; C has no way to say so. */
#define XX(name)                                                \
    {                                                           \
        void *found = dlsym(library, "curl_" #name);            \
        if (!found) trouble = "libcurl.so.4 lacks curl_" #name; \
        memcpy(&libcurl.name, &found, sizeof found);            \
    }
    LIBCURL_MAP(XX)
#undef XX
    /* The library is never unloaded: an abandoned resolver thread may still run in it. */
    if (!trouble && libcurl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) trouble = "libcurl does not start";
}

enum status libcurl_load(struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return trouble ? fail(err, ST_INTERNAL, "libcurl", "%s", trouble) : ST_OK;
}

static void trust(CURL *easy, CURLoption option, const char *variable)
{
    const char *place = getenv(variable);
    if (place && *place) must(libcurl.easy_setopt(easy, option, place) == CURLE_OK);
}

void libcurl_trust(CURL *easy)
{
    trust(easy, CURLOPT_CAINFO, "SSL_CERT_FILE");
    trust(easy, CURLOPT_CAPATH, "SSL_CERT_DIR");
}
