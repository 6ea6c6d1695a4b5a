/* trigger/libmosquitto.c — loads libmosquitto and finds its functions. */
#include "trigger/libmosquitto.h"

#include <dlfcn.h>
#include <pthread.h>

struct libmosquitto libmosquitto;

static const char *trouble; /* Why libmosquitto cannot be used; NULL: it can. */

static void load(void)
{
    void *library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        trouble = "libmosquitto.so.1 cannot be loaded; install the package libmosquitto1";
        return;
    }
    /* POSIX requires that a function's address fits a pointer to an object; C has no way to say so. */
#define XX(name)                                                          \
    {                                                                     \
        void *found = dlsym(library, "mosquitto_" #name);                 \
        if (!found) trouble = "libmosquitto.so.1 lacks mosquitto_" #name; \
        memcpy(&libmosquitto.name, &found, sizeof found);                 \
    }
    LIBMOSQUITTO_MAP(XX)
#undef XX
    if (!trouble && libmosquitto.lib_init() != MOSQ_ERR_SUCCESS) trouble = "libmosquitto does not start";
}

enum status libmosquitto_load(struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return trouble ? fail(err, ST_INTERNAL, "libmosquitto", "%s", trouble) : ST_OK;
}
