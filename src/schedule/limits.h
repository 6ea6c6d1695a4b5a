/* schedule/limits.h — bounds of this folder. */
#ifndef SCHEDULE_LIMITS_H
#define SCHEDULE_LIMITS_H

#include <stdint.h>

/* Seconds; files begin with a change 2^59 seconds before 1970. */
#define ZONE_CHANGE_MAX (INT64_C(1) << 60)

enum {
    ZONE_NAME_BYTES_MAX = 64,
    ZONE_BYTES_MAX = 256 << 10,       /* One TZif file; the largest of tzdata have 4 KB. */
    ZONE_OFFSET_MAX = 26 * 3600,      /* Seconds between UTC and a local time, as RFC 8536 advises. */
    ZONE_RULE_HOURS_MAX = 7 * 24 - 1, /* Hours in the time of day of a rule. */
    CRON_BYTES_MAX = 256,             /* One cron text. */
    CRON_YEARS_MAX = 41,              /* Between two days that a text chooses: 29 February on one weekday. */
};

#endif
