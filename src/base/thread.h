/* base/thread.h — names of threads, as `top -H`, debuggers and profiles show them. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include "base/must.h"

#include <string.h>
#include <sys/prctl.h>

enum { THREAD_NAME_BYTES = 16 }; /* The kernel keeps so many, with the NUL. */

/* Names the calling thread. ARCHITECTURE.md has a row for each name. */
static inline void thread_name(const char *name)
{
    must(strlen(name) < THREAD_NAME_BYTES);
    prctl(PR_SET_NAME, name);
}

#endif
