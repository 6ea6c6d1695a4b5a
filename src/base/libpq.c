/* base/libpq.c — loads libpq and finds its functions. */
#include "base/libpq.h"

#include <dlfcn.h>
#include <pthread.h>

struct libpq libpq;

static const char *trouble; /* Why libpq cannot be used; NULL: it can. */

static void load(void)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        trouble = "libpq.so.5 cannot be loaded; install the package libpq5";
        return;
    }
    /* POSIX requires that a function's address fits a pointer to an object; C has no way to say so. */
#define XX(name)                                           \
    {                                                      \
        void *found = dlsym(library, "PQ" #name);          \
        if (!found) trouble = "libpq.so.5 lacks PQ" #name; \
        memcpy(&libpq.name, &found, sizeof found);         \
    }
    LIBPQ_MAP(XX)
#undef XX
}

enum status libpq_load(struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return trouble ? fail(err, ST_INTERNAL, "libpq", "%s", trouble) : ST_OK;
}
