/* cli/access/actions.h — verbs that take an action as their first word: `pawl user add`, `pawl key list`. */
#ifndef CLI_ACCESS_ACTIONS_H
#define CLI_ACCESS_ACTIONS_H

#include "cli/access/door.h"
#include "cli/limits.h"

typedef int action_fn(struct door *door);

struct verb_action {
    const char *word;
    size_t arguments_min, arguments_max; /* Besides the word. */
    const char *needs;                   /* Names them, for a complaint; NULL: there are none. */
    action_fn *run;
    /* The options that it obeys besides those of all actions (where to ask, how to print). Ended by
     * OPTION_COUNT, unless there are as many as fit. */
    enum option option[ACTION_OPTIONS_MAX];
};

/* Finds the action of the first argument, opens the door and runs it. Refuses options that the action would
 * not obey. Returns the exit code. */
int actions_run(const struct options *options, const struct verb_action *action, size_t count);

/* An argument behind the action's word; empty if it is not there. */
str action_argument(const struct door *door, size_t i);

/* ---- objects from options ---- */

/* Sets a member if the option was given; an empty text removes the member. */
const struct json *action_set_text(const struct door *door, const struct json *object, const char *member,
                                   enum option option);
/* The same for a list of texts; one empty text alone is an empty list. */
const struct json *action_set_list(const struct door *door, const struct json *object, const char *member,
                                   enum option option);

/* A time, or a duration before (sign -1) or after (+1) now. */
enum status action_time(str text, int sign, const char *where, int64_t *ret_ms, struct error *err);

/* ---- what is printed ---- */

/* For --json: the answer as it came. Else the sentence, and a line end. */
__attribute__((format(printf, 2, 3))) int action_say(struct door *door, const char *format, ...);

/* A record as a list of its members, one a line. */
int action_show(struct door *door);

#endif
