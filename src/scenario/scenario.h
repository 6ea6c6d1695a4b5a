/* scenario/scenario.h — workflows tested like code.
 *
 * A scenario is a case of a scenario file: definitions, steps, expectations. It runs on the
 * real front ends, the real core and the real engine, on a store in memory and a clock that
 * only the scenario moves: thirty days take milliseconds. Nothing in this folder opens a file
 * or a socket, sleeps, or asks the machine for time or chance, so a run can have no side
 * effect and the same input gives the same output. docs/testing.md describes the format.
 *
 *     scenario_parse() ──► scenarios ──► scenario_run() ──► result ──► report_*()
 *                              └───────► scenario_explore(): many varied runs, shrunk
 *     trial_*(): one definition, step by step, for `pawl run`
 */
#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include "base/buf.h"
#include "base/id.h"
#include "json/json.h"

/* ---- reading ---- */

/* Reads the text of a file that a scenario names. The path is as written. */
typedef enum status scenario_read_fn(void *context, str path, struct arena *arena, str *ret_text,
                                     struct error *err);

struct scenario; /* Opaque: its fields are in scenario/scenario_int.h. */

struct suite {
    str file;
    const struct scenario *scenario; /* Use scenario_name() and the index. */
    size_t count;
};

/* From text to cases; everything lives in the arena. Fails if the text is not a scenario file
 * at all. A mistake in one case becomes that case's result, so that the others still run. */
enum status scenario_parse(str text, str file, scenario_read_fn *read, void *context, struct arena *arena,
                           struct suite *ret_suite, struct error *err);

str scenario_name(const struct suite *suite, size_t index);

/* ---- running ---- */

/* One line of what happened. */
struct record {
    int64_t at_ms; /* Since the run's clock started. */
    str word;      /* "start", "enter", "timer", … */
    str instance;  /* Its name in the scenario; may be empty. */
    str text;
    struct record *next;
};

struct difference {
    str where;    /* "instances.i.history[2].stepId" */
    str expected; /* As JSON text or in words. */
    str actual;
    struct difference *next;
};

struct scenario_result {
    bool passed;
    str problem;                         /* The reason why the run stopped early; empty: it did not. */
    const struct difference *difference; /* The first of a list. */
    const struct record *record;         /* The first of a list. */
};

/* Runs a case. The result lives in the arena. */
void scenario_run(const struct suite *suite, size_t index, struct arena *arena,
                  struct scenario_result *ret_result);

/* Says, between the steps of a run, why it is enough; NULL: it is not. The memory of its thread is bounded,
 * too. */
struct scenario_bound {
    const char *(*enough)(void *context);
    void *context;
};

/* The same for a run that somebody waits for: it stops when it is enough, which is its problem then. */
void scenario_run_bounded(const struct suite *suite, size_t index, const struct scenario_bound *bound,
                          struct arena *arena, struct scenario_result *ret_result);

struct exploration {
    size_t run_count;              /* How many ran: all, or up to the first that failed. */
    size_t path_count;             /* How many different ways through the definitions they took. */
    uint64_t seed;                 /* The failing run's: with it a single run fails the same way. */
    size_t choice_count;           /* Departures from the case as written, before shrinking … */
    size_t shrunk_count;           /* … and after. */
    struct scenario_result result; /* The shrunk run's. */
};

/* Runs a case `runs` times with inputs, results of outside work, their order and failures
 * varied, and checks its invariants after every command. Run i uses the seed `seed` + i. The
 * first failing run is shrunk. A case without invariants is not run: `run_count` is 0. */
void scenario_explore(const struct suite *suite, size_t index, uint64_t seed, size_t runs,
                      struct arena *arena, struct exploration *ret_exploration);

/* ---- reports ---- */

/* Aligned lines, each behind `indent`. Control characters in them become '?'. */
void report_records(const struct record *first, const char *indent, struct buf *out);

struct report {
    struct buf text;          /* For people. */
    struct json_builder json; /* An array of cases is open in it. */
    struct buf junit;         /* <testcase> elements. */
    size_t passed, failed;
    bool verbose;
    bool colours;
};

void report_init(struct report *report, struct arena *arena);
/* Add one case's result to the report, which copies it. */
void report_add(struct report *report, const struct suite *suite, size_t index,
                const struct scenario_result *result, int64_t took_us);
void report_add_exploration(struct report *report, const struct suite *suite, size_t index,
                            const struct exploration *exploration, int64_t took_us);
const struct json *report_json(struct report *report);
void report_junit(const struct report *report, struct buf *out);

/* ---- one definition, by hand ---- */

struct trial;
struct stage_hooks;

struct trial_setup {
    const str *definition; /* Texts of documents; the first one is run. */
    size_t definition_count;
    const struct json *mocks;        /* An array of mock steps, or NULL. */
    const struct json *input;        /* NULL: {}. */
    const struct json *const *event; /* CloudEvents, delivered in order whenever one is awaited. */
    size_t event_count;
    bool simulate; /* Results, latencies and failures by chance; unmocked work is guessed. */
    uint64_t seed;
    str trigger;                     /* The trigger of a flow graph; empty: as a start without one. */
    bool is_bounded;                 /* In the memory that the thread holds. */
    const struct stage_hooks *hooks; /* Hooks of this folder's own; NULL: none. */
};

/* A person or a signal that the instance waits for. */
struct trial_want {
    str instance; /* Its name: "i1". */
    str node, title;
    bool person;
    str why;
};

/* Publishes and starts. Fails if a document is refused or the mocks make no sense; a
 * refused document's problems are in `ret_problems` (may be NULL) as text. */
enum status trial_open(const struct trial_setup *setup, struct arena *arena, struct trial **ret_trial,
                       struct buf *ret_problems, struct error *err);
void trial_close(struct trial *trial); /* NULL is allowed. */

bool trial_ended(const struct trial *trial); /* All instances have. */
/* List the waits that trial_answer() can answer, and the other waits, of which only `why` can be shown. */
size_t trial_wants(struct trial *trial, const struct trial_want **ret_want);
size_t trial_stuck(struct trial *trial, const struct trial_want **ret_want);
enum status trial_answer(struct trial *trial, const struct trial_want *want, const struct json *variables,
                         struct error *err);
/* Delivers the next event, if one is awaited, or moves the clock to the next due work. Returns false if
 * nothing will happen any more. */
bool trial_pass_time(struct trial *trial);
/* Events that are still to come. */
size_t trial_events_left(const struct trial *trial);
/* Why it cannot go on (too many steps); empty if it can. */
str trial_problem(const struct trial *trial);

struct trial_outcome {
    str status;     /* The first instance's, or that of one that it started and that failed. */
    str own_status; /* The same in its dialect's words; empty: the dialect has none of its own. */
    bool succeeded;
    str reason;      /* Why it failed or was cancelled; may be empty. */
    str reason_code; /* Its code (program/reason.h); empty: none. */
    str path;        /* "a → b → c", with those of chained instances behind it. */
    int64_t took_ms; /* Virtual. */
    str data_word;   /* "variables", "output" */
    const struct json *data;
    const struct json *view;
    const struct record *record;
};
void trial_outcome(struct trial *trial, struct trial_outcome *ret_outcome);
/* The same without the path and the view, which hold the data of each visit. */
void trial_short_outcome(struct trial *trial, struct trial_outcome *ret_outcome);

/* ---- one definition, played to its end for somebody who watches ---- */

/* A run in which nothing can leave the process: calls, workers and people are pretended. */
struct rehearsal {
    const str *definition; /* Texts of documents; the first one is run. */
    size_t definition_count;
    const struct json *input; /* NULL: {}. */
    str trigger;              /* The trigger of a flow graph; empty: as a start without one. */
    const struct json
        *answers;            /* [{node, after?, decision?, variables?, item?, repeat?}]: people, signals and
                                   events, in order for each node; of an entity [{transition, after?,
                                   variables?}]. NULL: none. */
    const struct json *pins; /* {node: output, or {"error": {code, message}}}; NULL: none. */
    const struct json *const *event; /* CloudEvents, delivered in order whenever one is awaited. */
    size_t event_count;
    bool people_wait; /* A person without an answer says nothing. Else he takes the first decision after an
                       * hour. */
    bool by_chance;   /* Pretended values are varied with the seed. */
    uint64_t seed;
    /* Gets each line, a JSON object, as it happens. */
    void (*line)(void *context, str line);
    /* Asked between the steps: why it is enough, or NULL. May be NULL: it is never enough. */
    const char *(*enough)(void *context);
    void *context;
};

/* ST_OK: the last line was an "end". Else there was no line: the documents, the answers or the pins make no
 * sense, or the start was refused. */
enum status rehearse(const struct rehearsal *rehearsal, struct arena *arena, struct error *err);

/* ---- what happened to an instance, as a scenario ---- */

struct history;

/* An instance of an engine, and how it ran. */
struct transcript_part {
    str definition; /* The text of the version that ran. */
    int64_t definition_number;
    struct id id;
    str business_key;
    const struct history *history; /* From the first on. */
    size_t history_count;
};

/* Writes a scenario file that starts the first of them, answers as the outside has answered all of them, and
 * expects the first one's status and path. It is run once: `*ret_why_not` says what differs; empty: it
 * passes. ST_CONFLICT: the instance does not tell enough. ST_LIMIT: it was enough before the file was
 * written; if that is so while the file is run, the file says so. */
enum status transcript_write(const struct transcript_part *part, size_t count,
                             const struct scenario_bound *bound, struct arena *arena,
                             const struct json **ret_scenario, str *ret_why_not, struct error *err);

/* ---- many runs by chance ---- */

struct simulation_path {
    str path;
    str status; /* "COMPLETED", "FAILED", … in the dialect's words, or "stuck". */
    size_t count;
    uint64_t seed; /* The first run's that took it. */
    str why;       /* stuck: the wait; FAILED: the reason. */
};

struct simulation {
    size_t run_count;
    const struct simulation_path *path; /* Most frequent first. */
    size_t path_count;
    size_t stuck_count;
    int64_t took_ms[5]; /* Virtual time: least, half, nine tenths, ninety-nine hundredths, most. */
};

typedef void simulation_progress_fn(void *context, size_t done);

enum status scenario_simulate(const struct trial_setup *setup, size_t runs, struct arena *arena,
                              simulation_progress_fn *progress, void *context,
                              struct simulation *ret_simulation, struct error *err);

#endif
