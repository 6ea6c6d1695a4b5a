/* source/zones.c — reads the files of time zones, each once. */
#include "source/zones.h"

#include "base/text_map.h"
#include "schedule/limits.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct named_zone {
    str name;
    const struct zone *zone;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* Guards the two below. */
static struct text_map known;
static struct arena kept;

/* The bytes of a zone's file; none if there is no such file, or it is too large for a zone. */
static str file_bytes(str name, struct arena *arena)
{
    const char *folder = getenv("TZDIR");
    str path =
        arena_printf(arena, "%s/%.*s", folder && folder[0] ? folder : "/usr/share/zoneinfo", STR_ARG(name));
    struct stat stat;
    str bytes = STR_NONE;
    int file = open(path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* Opening any kind of file does not wait. */
    if (file < 0) return STR_NONE;
    if (fstat(file, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_size <= ZONE_BYTES_MAX) {
        size_t size = (size_t)stat.st_size, n = 0;
        char *p = arena_alloc(arena, size);
        for (ssize_t got = 1; n < size && got > 0; n += got > 0 ? (size_t)got : 0)
            got = read(file, p + n, size - n);
        bytes = (str){ p, n };
    }
    close(file);
    return bytes;
}

static const struct zone *read_zone(str name)
{
    struct arena arena;
    arena_init(&arena, 0);
    str bytes = file_bytes(name, &arena);
    struct named_zone *named = NULL;
    const struct zone *zone;
    if (bytes.n && zone_decode(bytes, &kept, &zone, NULL) == ST_OK) {
        named = arena_make(&kept, struct named_zone);
        *named = (struct named_zone){ arena_str(&kept, name), zone };
        text_map_put(&known, named->name, named);
    }
    arena_done(&arena);
    return named ? named->zone : NULL;
}

const struct zone *source_zone_find(str name)
{
    if (str_equal(name, STR("UTC"))) return zone_utc();
    if (!zone_name_is_sound(name)) return NULL;
    pthread_mutex_lock(&mutex);
    const struct named_zone *named = text_map_get(&known, name);
    const struct zone *zone = named ? named->zone : read_zone(name);
    pthread_mutex_unlock(&mutex);
    return zone;
}
