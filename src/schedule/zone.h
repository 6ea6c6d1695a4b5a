/* schedule/zone.h — a time zone: what clocks show there at which moment.
 *
 * A zone is made from the bytes of a TZif file (RFC 8536), versions 1 to 4, with the rule behind its table
 * that holds for the far future. It never changes, so threads share it without a lock. Nothing here reads
 * files: source/zones.h does.
 *
 * A moment is a number of seconds since 1970 in UTC. A local time is what a clock in the zone shows, as the
 * seconds since 1970 of that date and time. Where the clocks are set forward, local times are left out (a
 * gap); where they are set back, local times happen twice. Both kinds of seconds lie between the years 0001
 * and 9999.
 */
#ifndef SCHEDULE_ZONE_H
#define SCHEDULE_ZONE_H

#include "base/arena.h"
#include "base/status.h"

struct zone; /* Opaque: its fields are in schedule/zone_int.h. */

/* Could this be the name of a zone: "Europe/Berlin", "UTC", "Etc/GMT+5"? Such a name leads nowhere but into
 * the folder that holds the zones. Whether there is such a zone is another question. */
bool zone_name_is_sound(str name);

/* UTC itself, without a file. */
const struct zone *zone_utc(void);

/* The zone of a TZif file's bytes. It lives in the arena and does not need the bytes any longer. ST_INVALID
 * for bytes that break a rule of the format, also for a file that counts leap seconds: our time does not. */
enum status zone_decode(str bytes, struct arena *arena, const struct zone **ret_zone, struct error *err);

/* A stretch of time, from_s <= moment < to_s, with one offset: local time - UTC. The first begins at
 * INT64_MIN, and the last ends at INT64_MAX. Two spans that follow each other may have the same offset. */
struct zone_span {
    int64_t from_s;
    int64_t to_s;
    int32_t offset_s;
};
struct zone_span zone_span_at(const struct zone *zone, int64_t moment_s);

static inline int32_t zone_offset_s(const struct zone *zone, int64_t moment_s)
{
    return zone_span_at(zone, moment_s).offset_s;
}

/* The moments of a local time. `first_s` is the first moment at which clocks show this time or a later one:
 * in a gap, that is the moment at which the gap ends. `last_s` differs only for a time that happens twice. */
enum zone_fit { ZONE_ONCE, ZONE_TWICE, ZONE_GAP };
struct zone_moments {
    enum zone_fit fit;
    int64_t first_s;
    int64_t last_s;
};
struct zone_moments zone_moments(const struct zone *zone, int64_t local_s);

/* The latest local time that any clock has shown up to and including a moment. It never goes back, and so
 * `zone_moments(L).first_s <= M` is the same as `L <= zone_latest_local(M)`. */
int64_t zone_latest_local(const struct zone *zone, int64_t moment_s);

#endif
