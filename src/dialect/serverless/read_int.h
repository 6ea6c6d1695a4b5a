/* dialect/serverless/read_int.h — how a document is read: member by member, and always to its end.
 *
 * An object of the document is a *place*: the object, its pointer, and words for it in messages.
 * A reader takes the members that it knows from a place. It reports a member that is wrong and goes on as
 * if the member were absent, so that one upload shows every problem. null counts as absent, except as the
 * `value` of a choice. Unknown members are warnings.
 */
#ifndef DIALECT_SERVERLESS_READ_INT_H
#define DIALECT_SERVERLESS_READ_INT_H

#include "dialect/nearest.h"
#include "dialect/template.h"
#include "dialect/serverless/serverless_int.h"

struct reading {
    struct arena *arena;   /* The program's: for values that the workflow keeps. */
    struct arena *scratch; /* The problems': for the texts of messages. */
    struct problems *problems;
    struct workflow *workflow;
    size_t state_count; /* In all scopes. */
    size_t action_count;
    size_t event_action_count;
    size_t nesting;
    struct event_name *event_name; /* The workflow's triggers, which conditions of events can name. */
    bool understood;               /* The document's expressionLanguage is one that is read here. */
};

struct read_place {
    const struct json *object;
    str pointer;
    const char *what; /* `state "A": filter`; "" for the document. */
};

enum need { OPTIONAL, REQUIRED, FILLED /* Required, and with something in it. */ };

/* ---- read_fields.c ---- */

/* The member, or NULL if it is absent or null. */
const struct json *read_member(const struct read_place *at, const char *name);
/* Where the member is, or would be. */
str read_pointer(struct reading *reading, const struct read_place *at, const char *name);

/* Each of these reports a wrong type and, if the member is needed, that it is missing. Without a value they
 * return "" (p is NULL), `otherwise`, NULL or false. */
str read_string(struct reading *reading, const struct read_place *at, const char *name, enum need need);
bool read_flag(struct reading *reading, const struct read_place *at, const char *name, bool otherwise);
const struct json *read_list(struct reading *reading, const struct read_place *at, const char *name,
                             enum need need);
bool read_place(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                struct read_place *ret_place);
/* An item of a list that is a member of a place: `state "A": actions[1]`. */
bool read_item(struct reading *reading, const struct read_place *at, const char *name, size_t index,
               const struct json *item, struct read_place *ret_place);

/* A name: at most NODE_NAME_BYTES_MAX bytes, without control characters. */
str read_name(struct reading *reading, const struct read_place *at, const char *name, enum need need);
void read_limit_name(struct reading *reading, const struct read_place *at, const char *name, str text,
                     size_t bytes_max);

/* Warns of members that are not among the names; `names` is ended by NULL. */
void read_only(struct reading *reading, const struct read_place *at, const char *const *names);

void read_missing(struct reading *reading, const struct read_place *at, const char *name, const char *hint);
void read_wrong_type(struct reading *reading, str pointer, const char *what, const char *name,
                     const char *expected, const struct json *value);
/* "`state "A": `", or "" for the document. */
const char *read_prefix(struct reading *reading, const struct read_place *at);
/* `"a", "b" or "c"`; ended by NULL. */
const char *read_words(struct reading *reading, const char *const *words);

/* ---- read_values.c ---- */

enum path_kind { PATH_ANY, PATH_DEFINITE };
const struct jsonpath *read_path(struct reading *reading, const struct read_place *at, const char *name,
                                 enum need need, enum path_kind kind, str *ret_text);

enum filter_of { FILTER_OF_STATE, FILTER_OF_ACTION, FILTER_OF_EVENT, FILTER_OF_ERROR };
void read_filter(struct reading *reading, const struct read_place *at, enum filter_of of,
                 struct filter *ret_filter);

/* Reads the text of a condition, which is a string or an object with a body, and its place. A condition in
 * an unknown language gets no text, because the language was reported already. */
void read_condition_text(struct reading *reading, const struct read_place *at, const char *name,
                         enum need need, struct condition_text *ret_condition);
/* The same, and reports a condition that does not compile. */
void read_condition(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                    struct condition_text *ret_condition);
/* Is the language of conditions one that is read here? */
bool read_language(struct reading *reading, const struct read_place *at, bool otherwise);
/* Reports a condition that does not compile, with the place in its text. */
void read_condition_failed(struct reading *reading, const struct read_place *at, const char *name,
                           const struct condition_text *condition, enum problem_code code, const char *hint,
                           const struct error *err);

void read_transition(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                     struct state_transition *ret_transition);

/* ---- read_time.c ---- */

/* A duration, `otherwise` if there is none. */
int64_t read_duration(struct reading *reading, const struct read_place *at, const char *name, enum need need,
                      int64_t otherwise);
/* The wait of a DELAY: a duration, or until a time. */
void read_delay(struct reading *reading, const struct read_place *at, const char *name, int64_t *ret_delay_ms,
                int64_t *ret_at_ms);
/* `interval` and `max` of a retry. */
void read_repeats(struct reading *reading, const struct read_place *at, struct retry *retry);

/* ---- read_actions.c ---- */

/* `actions` and `actionMode`. */
void read_actions(struct reading *reading, const struct read_place *at, struct actions *ret_actions);
/* `onError`. */
void read_handlers(struct reading *reading, const struct read_place *at, struct handler **ret_handler,
                   size_t *ret_count);

/* ---- read_choices.c ---- */

void read_choices(struct reading *reading, const struct read_place *at, struct state *state);

/* ---- read_events.c ---- */

void read_triggers(struct reading *reading, const struct read_place *at);
void read_event_actions(struct reading *reading, const struct read_place *at, struct state *state);

/* ---- read_functions.c ---- */

void read_functions(struct reading *reading, const struct read_place *at);
/* Returns the function of that name; reports it if there is none. */
const struct function *read_function_by_name(struct reading *reading, const struct read_place *at,
                                             const char *field, str name);

/* ---- read_metadata.c ----
 * The function's performer is known. */
void read_metadata(struct reading *reading, const struct read_place *at, struct function *function);

/* ---- read_states.c ---- */

/* `states` and `startsAt` of the document or of a branch. */
void read_scope(struct reading *reading, const struct read_place *at, struct state_branch *branch,
                struct state_scope *scope);

/* ---- check.c ----
 * Names, references, what must follow what, what can be reached. States that never can are
 * reported, once, and taken out. */
void serverless_check(struct reading *reading);

#endif
