/* runtime/operate/operate_int.h — what the files of this room share. */
#ifndef RUNTIME_OPERATE_OPERATE_INT_H
#define RUNTIME_OPERATE_OPERATE_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/operate/operate.h"

/* ---- operate_serve.c ---- */

/* Jobs that no node has taken yet, of a shared store. */
enum status operate_serve_offered(struct turn *turn, struct arena *arena, struct offered_queue **ret_queue,
                                  size_t *ret_count, struct error *err);

/* ---- operate_groups.c ---- */

/* Counts a run to the group of what holds it. */
void operate_groups_add(struct answer_runs *answer, const struct operate_run *run,
                        const struct instance *instance, struct arena *scratch, struct arena *arena);

/* Puts groups that need somebody first (failed runs, then tasks of people); within a status the largest group
 * comes first. */
void operate_groups_sort(struct answer_runs *answer);

/* ---- history_reads.c ---- */

/* Visits may hold this many times the bytes of an answer, because they share most of their data. */
enum { TOLD_PART = 2 };

/* Tells the history of an instance, piece by piece: up to the command `last` at least, or all of it (0).
 * `*ret_cut`: only the first HISTORY_BYTES_MAX of it. */
typedef enum status history_teller(void *story, const struct history *history, struct error *err);
enum status history_reads_each(struct query *query, uint64_t instance, uint32_t last, history_teller *tell,
                               void *story, bool *ret_cut, struct error *err);
enum status history_reads_tell(struct query *query, uint64_t instance, struct trail *trail, bool *ret_cut,
                               struct error *err);

/* ---- operate_list.c ---- */

/* A row as a run, in the arena. Memory that is needed only meanwhile comes from `scratch`. `ret_instance`
 * (may be NULL) gets the state, in `scratch`, or NULL if it cannot be read. */
enum status operate_list_run(struct query *query, const struct instance_row *row, struct arena *scratch,
                             struct arena *arena, const struct instance **ret_instance,
                             struct operate_run *ret_run, struct error *err);

#endif
