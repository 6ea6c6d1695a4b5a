/* tests/power/rig.h — an engine on the shim's disk, driven by hand, and a workload for it.
 *
 * The workload takes no answer for granted: on a disk that fails or is full a call may come
 * back with an error, and then the workload goes on without it. It is the same in every run.
 */
#ifndef TESTS_POWER_RIG_H
#define TESTS_POWER_RIG_H

#include "runtime/engine.h"
#include "runtime/memory/memory.h"
#include "runtime/queries.h"

struct rig {
    char path[256];
    struct store *store;
    struct engine engine;
    struct query query;
    struct metrics metrics;
    struct limits limits;
    int64_t retention_ms;
    int64_t now_ms;
    int checkpoint_pages; /* 0: as usual. */
    int cache_pages;      /* The same; few make SQLite read often and write early. */
    bool open;
    struct arena arena;     /* Of the calls. */
    struct call_list batch; /* The calls of the next turn. */
    struct call_list answered;

    /* After every turn, when the answers are known. */
    void (*turned)(struct rig *rig, void *context);
    void *context;
};

/* A directory for what is not SQLite's: lock files. Made once; removed at the exit. */
const char *rig_directory(void);

/* Sets the path to "<directory>/<name>", the clock and the limits. */
void rig_init(struct rig *rig, const char *name);
void rig_done(struct rig *rig);
enum status rig_open(struct rig *rig, struct error *err);
void rig_close(struct rig *rig);

struct call *rig_call(struct rig *rig, enum call_kind kind);
/* Puts a call into the next turn. */
void rig_add(struct rig *rig, struct call *call);
/* A turn with all that was added; retention and the like only if `with_maintenance`. */
void rig_turn(struct rig *rig, bool with_maintenance);
/* A call in a turn of its own. True if it was answered with success. */
bool rig_run(struct rig *rig, struct call *call);

/* Checks the whole store deeply; false and a sentence about the first problem. */
bool rig_check(struct rig *rig, char *ret_why, size_t why_bytes);

/* A hash of every row of every table in a store's file. */
uint64_t rig_digest(const char *path);
#define DIGEST_NONE 0U /* No file, or nothing in it. */
#define DIGEST_UNREADABLE UINT64_MAX

/* ---- the workload (workload.c) ---- */

enum { WORKLOAD_ROUNDS = 24 };

void workload_deploy(struct rig *rig);
/* Starts, completes, fails, signals, cancels, retries: some of each, in a few turns. */
void workload_round(struct rig *rig, unsigned round);
/* Drives all instances to their end; false if some do not get there. */
bool workload_finish(struct rig *rig);

#endif
