/* torture/findings.c — records findings, with the cycle in which they occurred. */
#include "torture/torture_int.h"

#include <stdarg.h>
#include <stdio.h>

void torture_find(struct torture *torture, const char *format, ...)
{
    struct torture_report *report = torture->report;
    pthread_mutex_lock(&torture->lock);
    torture->store_found = true;
    if (report->finding_count++ < TORTURE_FINDINGS_MAX) {
        char *to = report->finding[report->finding_count - 1];
        int n = snprintf(to, TORTURE_FINDING_BYTES, "cycle %zu (%s, after %s): ", torture->cycle + 1,
                         torture->during, torture->before);
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(to + n, TORTURE_FINDING_BYTES - (size_t)n, format, arguments);
        va_end(arguments);
    }
    pthread_mutex_unlock(&torture->lock);
}
