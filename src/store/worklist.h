/* store/worklist.h — the lists of people's tasks: which lists a task is in, and which of them a question
 * needs.
 *
 * A list is known by its kind and a name, and is in the order of struct worklist_place. A task with details
 * is in the list of the person who has it, or else in those of the people who may take it; in one for each of
 * its groups; and, if it is due at some time, in the list of all that are.
 */
#ifndef STORE_WORKLIST_H
#define STORE_WORKLIST_H

#include "store/store.h"

/* The numbers are stored. */
enum worklist_kind {
    WORKLIST_ASSIGNED = 1,
    WORKLIST_CANDIDATE = 2,
    WORKLIST_GROUP_FREE = 3,
    WORKLIST_GROUP_TAKEN = 4,
    WORKLIST_DUE = 5,
};

struct worklist_entry {
    enum worklist_kind list;
    str who; /* Empty: of everybody. */
};

/* Where the task stands in its lists. */
struct worklist_place worklist_place_of(const struct task_row *row, struct arena *arena);
int worklist_compare(const struct worklist_place *a, const struct worklist_place *b);

/* The lists that a task is in, at most WORKLIST_LISTS_MAX. */
size_t worklist_entries(const struct task_row *row, struct arena *arena, struct worklist_entry **ret_entry);

/* The lists that together have all that the filter asks for: one or two. */
size_t worklist_choose(const struct worklist_filter *filter, struct worklist_entry ret_entry[2]);

/* Does all that the filter asks for hold? The row has its definition's id. */
bool worklist_fits(const struct worklist_filter *filter, const struct task_row *row, struct arena *arena);

#endif
