/* source/zones.h — time zones of this machine, by name.
 *
 * Zones are files of tzdata below /usr/share/zoneinfo, or below $TZDIR. A zone is read once and kept for the
 * life of the process: schedules and compiled definitions point at it. A new tzdata counts after a restart.
 * Any thread may ask.
 */
#ifndef SOURCE_ZONES_H
#define SOURCE_ZONES_H

#include "schedule/zone.h"

/* NULL if this machine has no such zone. "UTC" is always there. */
const struct zone *source_zone_find(str name);

#endif
