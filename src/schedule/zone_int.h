/* schedule/zone_int.h — the inside of a zone. */
#ifndef SCHEDULE_ZONE_INT_H
#define SCHEDULE_ZONE_INT_H

#include "schedule/limits.h"
#include "schedule/zone.h"

/* A day of every year and a time of that day, which may lie outside of the day. */
struct zone_day {
    enum { ZONE_DAY_MONTH, ZONE_DAY_WITHOUT_LEAP, ZONE_DAY_OF_YEAR } kind;
    int month, week; /* ZONE_DAY_MONTH: "M3.5.0", the last Sunday of March. */
    int day;         /* The weekday of it; "J60", never 29 February; "59", from 0. */
    int32_t time_s;
};

/* The text behind the table: the offsets for ever. Without daylight saving time only `standard_s` counts. */
struct zone_rule {
    int32_t standard_s;
    int32_t daylight_s;
    bool has_daylight;
    struct zone_day begins; /* In standard time. */
    struct zone_day ends;   /* In daylight saving time. */
};

/* From at_s[i] on, the offset is offset_s[kind[i]]; before the first it is offset_s[0]. From the last one on
 * the rule holds, if there is one. */
struct zone {
    size_t change_count;
    const int64_t *at_s; /* Ascending. */
    const uint8_t *kind;
    const int32_t *offset_s;
    bool has_rule;
    struct zone_rule rule;
};

/* The TZ text of POSIX with the extensions of RFC 8536: "CET-1CEST,M3.5.0,M10.5.0/3". */
bool zone_rule_parse(str text, struct zone_rule *ret_rule);

/* The span of a moment by the rule alone. */
struct zone_span zone_rule_span(const struct zone_rule *rule, int64_t moment_s);

#endif
