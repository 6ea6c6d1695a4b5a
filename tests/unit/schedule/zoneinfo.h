/* tests/unit/schedule/zoneinfo.h — zones of this machine, read from tzdata. */
#ifndef TESTS_SCHEDULE_ZONEINFO_H
#define TESTS_SCHEDULE_ZONEINFO_H

#include "schedule/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ZONEINFO "/usr/share/zoneinfo/"

static inline str zoneinfo_bytes(const char *path, struct arena *arena)
{
    enum { BYTES = 64 << 10 };
    FILE *file = fopen(path, "rb");
    if (!file) return STR_NONE;
    char *bytes = arena_alloc(arena, BYTES);
    size_t n = fread(bytes, 1, BYTES, file);
    fclose(file);
    return (str){ bytes, n };
}

static inline const struct zone *zoneinfo_zone(const char *name, struct arena *arena)
{
    char path[512];
    snprintf(path, sizeof path, ZONEINFO "%s", name);
    const struct zone *zone = NULL;
    struct error err = { 0 };
    if (zone_decode(zoneinfo_bytes(path, arena), arena, &zone, &err) != ST_OK)
        fprintf(stderr, "%s: %s\n", name, err.message);
    return zone;
}

/* From now on the C library's local time is that of the zone. */
static inline void zoneinfo_use(const char *name)
{
    setenv("TZ", name, 1);
    tzset();
}

static inline int32_t zoneinfo_offset_s(int64_t moment_s)
{
    time_t moment = (time_t)moment_s;
    struct tm local;
    localtime_r(&moment, &local);
    return (int32_t)local.tm_gmtoff;
}

#endif
