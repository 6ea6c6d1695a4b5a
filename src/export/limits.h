/* export/limits.h — bounds of what goes to a collector. */
#ifndef EXPORT_LIMITS_H
#define EXPORT_LIMITS_H

enum {
    MESSAGE_BYTES_MAX = 4 << 20, /* A message is sent when it has so many bytes, however few its spans are. */
    RETRY_MS_MIN = 1000,         /* The pause after a message that was not taken; it doubles up to … */
    RETRY_MS_MAX = 30 * 1000,    /* … this. */
    STOP_MS_MAX = 3000,          /* At the end, what is left is sent if that takes no longer. */
    COLLECTOR_BYTES_MAX = 64 << 10,          /* An answer: a collector says little. */
    COLLECTOR_SHOWN_MAX = 120,               /* The beginning of a refusal that is told. */
    COLLECTOR_PAUSE_MS_MAX = 10 * 60 * 1000, /* The longest Retry-After that is obeyed. */
    COLLECTOR_CONNECT_MS_MAX = 10 * 1000,
    EXPORTER_NICENESS = 10, /* Where all cores are busy, it gets a tenth of one: runs come first. */
};

#endif
