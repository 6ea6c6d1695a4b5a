/* schedule/zone.c — finds the local time of a moment, and the moments of a local time. */
#include "schedule/zone_int.h"

#include "base/ascii.h"

/* Words of letters, digits and the signs _ + - with slashes between them. */
bool zone_name_is_sound(str name)
{
    if (!name.n || name.n > ZONE_NAME_BYTES_MAX) return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool inside = i > 0 && i + 1 < name.n && name.p[i - 1] != '/';
        if (c == '/' ? !inside : !ascii_is_alphanumeric(c) && c != '_' && c != '+' && c != '-') return false;
    }
    return true;
}

const struct zone *zone_utc(void)
{
    static const int32_t offset_s[] = { 0 };
    static const struct zone utc = { .offset_s = offset_s };
    return &utc;
}

/* How many changes are not after the moment. */
static size_t changes_until(const struct zone *zone, int64_t moment_s)
{
    size_t low = 0, high = zone->change_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->at_s[middle] <= moment_s) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct zone_span zone_span_at(const struct zone *zone, int64_t moment_s)
{
    size_t count = changes_until(zone, moment_s);
    int64_t from_s = count ? zone->at_s[count - 1] : INT64_MIN;
    if (count == zone->change_count && zone->has_rule) {
        struct zone_span span = zone_rule_span(&zone->rule, moment_s);
        if (span.from_s < from_s) span.from_s = from_s;
        return span;
    }
    return (struct zone_span){
        .from_s = from_s,
        .to_s = count < zone->change_count ? zone->at_s[count] : INT64_MAX,
        .offset_s = zone->offset_s[count ? zone->kind[count - 1] : 0],
    };
}

struct zone_moments zone_moments(const struct zone *zone, int64_t local_s)
{
    struct zone_span span = zone_span_at(zone, local_s - ZONE_OFFSET_MAX);
    while (span.to_s != INT64_MAX && span.to_s + span.offset_s <= local_s)
        span = zone_span_at(zone, span.to_s);

    struct zone_moments found = { .fit = ZONE_ONCE };
    if (span.from_s != INT64_MIN && span.from_s + span.offset_s > local_s) {
        found.first_s = found.last_s = span.from_s;
        found.fit = ZONE_GAP;
        return found;
    }
    found.first_s = found.last_s = local_s - span.offset_s;
    while (span.to_s <= local_s + ZONE_OFFSET_MAX) {
        span = zone_span_at(zone, span.to_s);
        int64_t again_s = local_s - span.offset_s;
        if (again_s < span.from_s || again_s >= span.to_s) continue;
        found.last_s = again_s;
        found.fit = ZONE_TWICE;
    }
    return found;
}

int64_t zone_latest_local(const struct zone *zone, int64_t moment_s)
{
    struct zone_span span = zone_span_at(zone, moment_s - 2 * ZONE_OFFSET_MAX);
    int64_t latest_s = INT64_MIN;
    while (span.to_s <= moment_s) {
        if (latest_s < span.to_s - 1 + span.offset_s) latest_s = span.to_s - 1 + span.offset_s;
        span = zone_span_at(zone, span.to_s);
    }
    return latest_s > moment_s + span.offset_s ? latest_s : moment_s + span.offset_s;
}
