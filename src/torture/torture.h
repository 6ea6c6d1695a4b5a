/* torture/torture.h — puts an engine through kills, power cuts and full disks, on the user's own machine and
 * disk.
 *
 * torture_run() starts an engine in a child process, puts a load of clients, workers and people on it over
 * HTTP, and ends it in the middle of that, again and again, in one of three ways:
 *
 *     kill       SIGKILL at some acknowledgement
 *     power      the disk loses or tears writes that were not synced (frail_disk.h)
 *     full       the disk has no space: new work is refused, reads and cancels go on
 *
 * After each end, everything that was acknowledged must be there exactly once (verify.c), and the store must
 * be consistent.
 */
#ifndef TORTURE_TORTURE_H
#define TORTURE_TORTURE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "json/json.h"
#include "torture/limits.h"

/* clang-format off */
#define CYCLE_MAP(XX)                        \
    XX(KILL,  kill,  "kill -9 under load")   \
    XX(POWER, power, "power loss")           \
    XX(FULL,  full,  "full disk")
/* clang-format on */

enum cycle_kind {
#define XX(NAME, word, what) CYCLE_##NAME,
    CYCLE_MAP(XX)
#undef XX
        CYCLE_KIND_COUNT
};

enum { TORTURE_FINDING_BYTES = 400, TORTURE_PATH_BYTES = 800 };

struct disk_measure {
    size_t syncs;
    int64_t p50_us, p99_us;
    char warning[200]; /* Empty, or why the syncs are hard to believe. */
};

struct torture_report {
    char directory[TORTURE_PATH_BYTES];
    uint64_t seed;
    int64_t took_ms;
    struct disk_measure disk;
    size_t cycles[CYCLE_KIND_COUNT];
    size_t stores; /* Stores that were begun, one after the other. */
    size_t kills;  /* Includes kills during recovery. */
    size_t power_cuts;
    size_t refused_full; /* Answers with 507. */
    size_t acknowledged; /* Successful answers to requests that change something. */
    size_t cut_off;      /* Requests without an answer. */
    size_t repeated;     /* Requests of those that were sent again with their key. */
    size_t verified;     /* Instances compared with the ledger, counted each time. */
    size_t checks;       /* Deep checks of the store. */
    size_t restarts;
    int64_t restart_total_us, restart_max_us;
    bool interrupted;     /* A signal ended the run early. */
    bool kept;            /* The stores of the findings are still in the directory. */
    size_t finding_count; /* The texts of the first ones are kept. */
    char finding[TORTURE_FINDINGS_MAX][TORTURE_FINDING_BYTES];
};

struct torture_config {
    const char *directory; /* Must be empty, or new, or left behind by a run that was killed. */
    int64_t duration_ms;   /* One cycle of each kind is run in any case. */
    uint64_t seed;
    int (*serve)(int argc, char *const *argv); /* Runs `pawl serve` in the child, with these arguments. */
    void (*progress)(void *context, const struct torture_report *report, int64_t done_ms); /* May be NULL. */
    void *context;
};

/* Fails only if it cannot begin (ST_CONFLICT: a foreign directory); the findings are in the report. A first
 * SIGINT or SIGTERM ends the run early. The caller must have no threads. */
enum status torture_run(const struct torture_config *config, struct torture_report *ret_report,
                        struct error *err);

void torture_print(const struct torture_report *report, struct buf *out);
const struct json *torture_json(const struct torture_report *report, struct arena *arena);

/* Measures how long it takes until written bytes are on the disk. */
enum status torture_measure_disk(const char *directory, struct disk_measure *ret_measure, struct error *err);

#endif
