/* scenario/scenario_int.h — a case, a run in progress, and the functions of this folder. README.md lists the
 * files. */
#ifndef SCENARIO_SCENARIO_INT_H
#define SCENARIO_SCENARIO_INT_H

#include "runtime/engine.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"
#include "scenario/limits.h"
#include "scenario/scenario.h"

/* ---- a case ---- */

/* clang-format off */
#define OP_MAP(XX)                                                                                          \
    /* name       word          known fields besides op, note, expectStatus, expectCode       of later dialects */ \
    XX(START,      "start",      "definition version input as businessKey isTest trigger transition", "")          \
    XX(SIGNAL,     "signal",     "instance step body early",                                  "")                  \
    XX(TASK,       "task",       "instance step body",                                        "")                  \
    XX(RETRY,      "retry",      "instance step variables",                                   "")                  \
    XX(CANCEL,     "cancel",     "instance reason failed ifMatch",                            "")                  \
    XX(MODIFY,     "modify",     "instance set unset move add cancel reason",                 "")                  \
    XX(PUBLISH,    "publish",    "definition",                                                "")                  \
    XX(MOCK,       "mock",       "node function job processor default results vary",          "merge")             \
    XX(HOLD,       "hold",       "node function job processor",                               "")                  \
    XX(RELEASE,    "release",    "node function job processor index result",                  "")                  \
    XX(ADVANCE,    "advance",    "by",                                                        "")                  \
    XX(RUN,        "run",        "",                                                          "")                  \
    XX(RESTART,    "restart",    "downFor",                                                   "")                  \
    XX(PAUSE,      "pause",      "",                                                          "")                  \
    XX(UNPAUSE,    "unpause",    "",                                                          "")                  \
    XX(ASSERT,     "assert",     "instance expect gone count",                                "")                  \
    XX(CONCURRENT, "concurrent", "steps events",                                              "")                  \
    XX(EVENT,      "event",      "event at expectOutcome expectOutcomes",                     "")                  \
    XX(HTTP,       "http",       "method path headers query body raw expectOutcome",          "")                  \
    XX(MQTT,       "mqtt",       "topic payload raw qos retained expectOutcome expectOutcomes", "")                \
    XX(RESUME,     "resume",     "instance body actor groups idempotencyKey",                 "")                  \
    XX(TRANSITION, "transition", "instance name body ifMatch",                                "")                  \
    XX(VAULT,      "vault",      "secrets",                                                   "")
/* clang-format on */

enum op_kind {
#define XX(NAME, word, fields, later) OP_##NAME,
    OP_MAP(XX)
#undef XX
        OP_COUNT
};

struct op {
    enum op_kind kind;
    const struct json *body;
    str where;              /* "step 3 (start)" */
    const struct op *inner; /* CONCURRENT */
    size_t inner_count;
};

/* A definition that a case publishes. */
struct published {
    str text;
    str file; /* Empty: written in the case. */
};

struct invariant {
    str text;       /* The expression, or the name it was given. */
    str definition; /* Only instances of it; empty: all. */
    const struct expr *check;
};

struct scenario {
    str name;
    str problem; /* Why it cannot run; empty: it can. */
    int64_t start_ms;
    bool test_outputs; /* Nodes bring what their definitions say for tests. */
    const struct published *definition;
    size_t definition_count;
    const struct op *op;
    size_t op_count;
    const struct json *expect; /* NULL: nothing. */
    const struct json *inputs; /* Generators; NULL: mutations of the input. */
    const struct invariant *invariant;
    size_t invariant_count;
    const struct scenario_bound *bound; /* NULL: none. */
};

/* One step; ST_INVALID says what is wrong with it. */
enum status read_op(const struct json *body, size_t number, struct arena *arena, struct op *ret_op,
                    struct error *err);

/* "PT2H", "P30D", "90s", "9m59s". */
enum status read_span(const struct json *value, int64_t *ret_ms, struct error *err);

/* ---- chance (choices.c) ---- */

/* The decisions of a run. A decision is a number below some bound, and 0 is the plainest: no
 * change, the first, no failure. Giving the same decisions again repeats the run; lowering some or leaving
 * some out makes it simpler. Beyond those given, all decisions are 0. */
struct choices {
    bool random; /* Else `given` is replayed. */
    uint64_t state;
    const uint32_t *given;
    size_t given_count;
    uint32_t *made; /* On the heap. */
    size_t made_count, made_cap;
};

void choices_init_random(struct choices *choices, uint64_t seed);
void choices_init_given(struct choices *choices, const uint32_t *given, size_t count);
void choices_done(struct choices *choices);
uint32_t choices_below(struct choices *choices, uint32_t bound); /* 0 .. bound-1. NULL choices: 0. */
bool choices_rarely(struct choices *choices, uint32_t one_in);

/* ---- values by chance (generate.c) ---- */

/* Values that a program's conditions compare a variable with. */
struct hint {
    str path;                     /* "creditScore", "user.age" */
    const struct json *value[24]; /* On both sides of each comparison. */
    size_t count;
    struct hint *next;
};

/* "body.v" or "$.body.v"; NULL if it is not there. */
const struct json *path_get(const struct json *value, str path);
/* A copy with the value there, and objects on the way. */
const struct json *path_set(struct arena *arena, const struct json *object, str path,
                            const struct json *value);

/* {"score": {"type": "integer", "min": 300, "max": 850}, "tier": {"oneOf": ["A", "B"]}, …} */
enum status generate_check(const struct json *generators, struct error *err);
/* Makes an object by the generators. Values of hints (may be NULL) come often, if a generator could have made
 * them. */
const struct json *generate(const struct json *generators, const struct hint *hints, struct choices *choices,
                            struct arena *arena);
/* Returns the object with some members changed and some left out. Hints for members of members count too. */
const struct json *generate_mutation(const struct json *object, const struct hint *hints,
                                     struct choices *choices, struct arena *arena);

/* ---- hints (hints.c) ---- */

/* Hints from all conditions of the program. */
struct hint *hints_of_program(const struct program *program, struct arena *arena);
/* Hints from the conditions that are tested after leaving the node and before anything waits again. */
struct hint *hints_after(const struct program *program, uint32_t node, struct arena *arena);
const struct hint *hints_find(const struct hint *hints, str path);
/* Returns the hints for data that a filter places somewhere inside: `a.b.c` also counts as `b.c` and `c`. */
struct hint *hints_inside(const struct hint *hints, struct arena *arena);
/* An object with a value for each hint that `data` has no value for (`anew`: for each). */
const struct json *hints_guess(const struct hint *hints, const struct json *data, bool anew,
                               struct choices *choices, struct arena *arena);

/* ---- mocks (mocks.c) ---- */

struct mock_list {
    const struct json *result; /* An array. */
    size_t used;
    str value; /* The value of `by` that the list is for; empty: there is no `by`. */
    struct mock_list *next;
};

struct target {
    bool any; /* The default. */
    str node; /* By the step's id, or … */
    str type; /* … by the job's type, or the function's name. */
};

/* The names of a piece of work. */
struct work_names {
    str node, title; /* The node; of an inner one also the state it belongs to. */
    str type;        /* The job's type; empty: it is no job. */
    str function;    /* Empty: none. */
};

struct mock {
    struct target target;
    str by;                  /* Path in the input; empty: none. */
    struct mock_list *lists; /* One, or one per value of `by`. */
    bool fixed;              /* "vary": false. */
    struct mock *next;
};

/* A target among the fields of a step; ST_INVALID if there is none. */
enum status mock_target(const struct json *body, struct target *ret_target, struct error *err);
enum status mock_read(const struct json *body, struct arena *arena, struct mock **ret_mock,
                      struct error *err);
/* Is the result of a form we know? */
enum status mock_check_result(const struct json *result, struct error *err);
/* The mock for a piece of work: by node before by function or type before the default, later ones first. */
struct mock *mock_find(struct mock *mocks, const struct work_names *names);
bool mock_target_fits(const struct target *target, const struct work_names *names);
/* The result for the next call. Never NULL. */
const struct json *mock_next(struct mock *mock, const struct json *input, struct arena *arena);
/* The result of a task that promises certain members, filled up with placeholders; NULL: an answer for it
 * when no mock is there. Other tasks: the result as it is. */
const struct json *mock_filled(const struct program_node *node, const struct json *result,
                               struct arena *arena);
/* One of all results the mock knows. */
const struct json *mock_any(const struct mock *mock, struct choices *choices);

/* ---- the run ---- */

enum variation { VARY_NOTHING, VARY_EXPLORE, VARY_SIMULATE };

/* An instance, by its name in the scenario. */
struct actor {
    struct id id;
    str name;
    str plain_name; /* "i3" */
    str definition_id;
    int32_t version;
    struct program *program;
    const struct dialect *dialect;
    const struct instance *state; /* As it is now. */
    int64_t last_history;
    int64_t
        began; /* The row of its history with which it began, for the order among instances; 0: it is held. */
    uint32_t revision;
    uint32_t checked;     /* The revision that was held against the invariants. */
    bool gone;            /* The engine does not know it any more. */
    struct actor *parent; /* The instance whose end, or sub-flow, started it. */
    bool child;           /* It is a sub-flow. */
    size_t child_count;   /* Sub-flows it started. */
    str chain;            /* The definition its own end starts; empty when that was taken. */
    str *passed;          /* An entity: the states that it came to, in order. */
    size_t passed_count, passed_cap;
    struct actor *next_coming; /* The next one that is not stored yet. */
};

enum work_kind { WORK_JOB, WORK_TASK, WORK_SIGNAL, WORK_ARRIVAL, WORK_EVENTS };

/* Something the outside has to do. */
struct work {
    enum work_kind kind;
    struct actor *actor;
    uint32_t execution;
    struct id id; /* The job's. */
    struct work_names names;
    const struct json *input;
    bool taken; /* The engine has handed it out and not taken it back. */
    bool gone;  /* Answered, or no longer open. */
    bool held;
    size_t held_index;
    bool refused;              /* The engine did not accept the answer; it is not repeated. */
    const struct json *result; /* The planned answer; NULL: none is known. */
    int64_t due_ms;
    bool computes;   /* A calculation node does it: a processor or … */
    bool decides;    /* … a function that decides, or … */
    bool schedules;  /* … one that says when a transition is due. */
    int64_t late_ms; /* computes: it must be answered before. */
    struct work *next;
};

struct made_call {
    str instance;
    struct work_names names;
    const struct json *input;
    struct made_call *next;
};

struct hold {
    struct target target;
    size_t count; /* Held so far. */
    struct hold *next;
};

struct refused_definition {
    str code, node;
    str message;
    struct refused_definition *next;
};

/* A write of an entity that has no answer yet, or one that nobody has looked at. */
struct open_write {
    const struct op *op;
    struct call *call;
    bool is_answered;
    struct open_write *next;
};

/* A definition that was accepted. */
struct known_definition {
    str id, title;
    struct known_definition *next; /* The one before. */
};

/* An event that arrived. */
struct arrival {
    str outcome;
    struct arrival *next;
};

struct naming {
    uint64_t instance;
    str name;
    struct naming *next;
};

struct stage;

/* Somebody who watches a run, and answers where no mock does. */
struct stage_hooks {
    void *context;
    /* The answer of the outside, as a mock's result; NULL: nobody answers. */
    const struct json *(*answer)(void *context, struct stage *stage, const struct work *work);
    /* The engine took the answer, or (`refusal`) did not. */
    void (*answered)(void *context, struct stage *stage, const struct work *work, const char *refusal);
    /* A command of the instance is in its history. */
    void (*history)(void *context, struct stage *stage, struct actor *actor, const struct history *history);
    /* The engine has come to rest for a moment. False: the run stops, and stage_stop() was told why. */
    bool (*rests)(void *context, struct stage *stage);
};

struct stage {
    struct arena *arena;
    const struct stage_hooks *hooks;    /* NULL: none. */
    const struct scenario_bound *bound; /* NULL: none. */
    bool is_bounded;                    /* The memory of its thread is: world_has_room(). */
    struct arena scratch;               /* For one look at the store. */
    const struct scenario *scenario;    /* NULL in a trial. */
    struct choices *choices;            /* NULL: none. */
    enum variation variation;
    size_t serialisation; /* Which order of `concurrent` steps. */

    struct store *store;
    struct engine engine;
    struct query query;
    struct metrics metrics;
    struct limits limits;
    bool open;
    int64_t start_ms, now_ms;

    struct actor **actor; /* In order of creation. */
    size_t actor_count, actor_cap;
    size_t top_count; /* Actors that are not sub-flows. */
    uint64_t next_instance;
    struct naming *namings;               /* From starts with `as`. */
    struct actor *coming;                 /* Entities that wait for a processor before they are stored. */
    struct open_write *writes;            /* The first one first. */
    size_t write_count;                   /* All that there were. */
    struct known_definition *definitions; /* The last one first. */
    struct arrival *first_arrival, *last_arrival;
    size_t arrival_count;
    bool takes_arrivals;          /* A definition has triggers. */
    uint64_t last_arrival_number; /* The last record that was looked at. */
    bool guess_events;            /* Simulating: awaited events come, sooner or later. */

    struct mock *mocks;
    struct hold *holds;
    const struct json *secrets; /* {name: value}; NULL: none. */
    struct vault *vault;        /* The same for the engine; NULL: none. */
    bool paused;
    struct work *first_work, *last_work;
    struct made_call *first_call, *last_call;
    size_t answer_count, move_count;

    bool refused; /* A definition or a start was. */
    str refusal;  /* The first, in words. */
    struct refused_definition *first_refused, *last_refused;

    str problem; /* The reason why the run stops; empty: it goes on. */
    struct difference *first_difference, *last_difference;
    size_t difference_count;
    struct record *first_record, *last_record;
};

/* world.c. Failing to open a store in memory is our mistake, so nothing here fails. */
void world_open(struct stage *stage);
void world_close(struct stage *stage);
/* False: the run takes more memory than it may, and was stopped. */
bool world_has_room(struct stage *stage);
/* Gives the engine the secrets of the stage. */
void world_use_secrets(struct stage *stage);
/* Restarts the engine: state that is not durable is lost. */
void world_restart(struct stage *stage);
/* Submits one call, or several at once, and has them answered. */
struct call *world_call(struct stage *stage, enum call_kind kind);
void world_submit(struct stage *stage, struct call *call);
void world_submit_together(struct stage *stage, struct call_list *calls);
/* The definition's program (version 0: of the latest), or NULL. It lives until the next turn. */
const struct program *world_program(struct stage *stage, str definition, int32_t version);
/* Lets the engine do what is due. */
void world_turn(struct stage *stage);
/* When the engine has something to do next; INT64_MAX: never. */
int64_t world_next_ms(struct stage *stage);
/* When the next schedule fires. */
int64_t world_next_slot_ms(const struct stage *stage);

/* The first problem stays. Returns false, for the caller to return. */
__attribute__((format(printf, 2, 3))) bool stage_stop(struct stage *stage, const char *format, ...);
__attribute__((format(printf, 4, 5))) void stage_record(struct stage *stage, const char *word, str instance,
                                                        const char *format, ...);
void stage_differs(struct stage *stage, str where, str expected, str actual);
/* A value as compact JSON text; "nothing" for NULL. */
str stage_text(struct stage *stage, const struct json *value);

/* actors.c */
void actors_follow(struct stage *stage); /* Reads what the last turn did, and records it. */
struct actor *actors_find(const struct stage *stage, str name);
/* Returns the node's own name for the name that a scenario uses: its own, or its label. */
str actor_node(const struct actor *actor, str name);
/* The last instance that is nobody's sub-flow, or NULL. */
struct actor *actors_last(const struct stage *stage);

/* record.c */
/* Records one command of an instance; actor->state is the state that the command found. */
void record_history(struct stage *stage, struct actor *actor, const struct history *history);
/* Returns the author's name of the node, or of the visible node that it is a part of. */
str record_node(const struct actor *actor, uint32_t node);

/* work.c */
/* Takes open work and answers what can be answered now, until nothing can. False: stopped. */
bool work_settle(struct stage *stage);
/* Held work of the target is answered: the index-th that was held, or SIZE_MAX for the first left. */
bool work_release(struct stage *stage, const struct target *target, size_t index, const struct json *result);
/* Moves the clock to `until_ms`, stopping wherever something is due; INT64_MAX: until nothing is. */
bool work_until(struct stage *stage, int64_t until_ms);
/* One such stop, not later than `until_ms`; false if there is none (or the run was stopped). */
bool work_move(struct stage *stage, int64_t until_ms);
/* Open work of a function for which there is no mock, or NULL. */
const struct work *work_unanswered(const struct stage *stage);

/* ops.c */
bool op_run(struct stage *stage, const struct op *op);
bool op_publish(struct stage *stage, str text, str file);

/* check_answer.c. Differences go to the stage; false: the run is stopped. */
/* Compares the answer with the one that the step expects; `success` is the HTTP status of one that was
 * accepted. */
bool check_status(struct stage *stage, const struct op *op, const struct call *call, int success);
/* The same for a step that sends an event. */
bool check_event(struct stage *stage, const struct op *op, const struct call *call);

/* repair.c */
/* Fills in the call of a step that changes an instance by hand. */
void repair_read(struct stage *stage, const struct op *op, const struct actor *actor,
                 struct call_modify *ret_modify);

/* events.c */
/* Makes the call that delivers a step's event. A call with a status is not to be submitted: the event is
 * invalid. */
struct call *event_call(struct stage *stage, const struct op *op);
/* Notes the event's outcome, for the record and the case's end. */
void event_note(struct stage *stage, const struct op *op, const struct call *call);
/* The API's word for what the event did, and the reason if it was refused. */
str event_outcome(const struct call *call);
const char *event_refusal(const struct call *call);
/* Delivers an event that no step sends; returns the answered call. */
struct call *event_deliver(struct stage *stage, const struct json *event);

/* arrivals.c */
/* Makes the call of a request or a message. */
struct call *arrival_call(struct stage *stage, const struct op *op);
/* Notes what became of it, as far as the engine does not record it. */
void arrivals_note(struct stage *stage, const struct op *op, const struct call *call);
/* Notes the arrivals that the engine has recorded since the last look. */
void arrivals_follow(struct stage *stage);
/* One more outcome. */
void arrivals_add(struct stage *stage, str outcome);
/* Compares the answer with the one that the step expects. False: the run is stopped. */
bool arrivals_check(struct stage *stage, const struct op *op, const struct call *call);

/* entities.c */
/* Is it a program of entities? NULL is allowed. */
bool entities_has(const struct program *program);
/* The instance that the call creates; 0: none. */
uint64_t entities_created(const struct call *call);
/* A write was submitted, and answered, perhaps in a later turn. */
void entities_submitted(struct stage *stage, const struct op *op, struct call *call);
void entities_answered(struct stage *stage, const struct call *call);
/* The next write that was answered, or NULL. */
const struct open_write *entities_take_answered(struct stage *stage);
/* An entity that a processor was asked about (compute_coming()) is stored now; NULL: it is none of them. */
struct actor *entities_take_coming(struct stage *stage, uint64_t instance);
void entities_forget_coming(struct stage *stage);
/* A visit of an inner node is over: perhaps it brought the entity to a state. */
void entities_note_state(struct stage *stage, struct actor *actor, uint32_t node);
/* The entity goes on with another version, if the command says so. */
void entities_follow_version(struct stage *stage, struct actor *actor, const struct history *history);

/* compute.c */
/* The entity that a processor is asked about before the entity is stored. */
struct actor *compute_coming(struct stage *stage, uint64_t instance, int64_t created_ms);
/* The processor or the function of a job; empty: no calculation node does it. */
str compute_processor(const struct job_view *job);
void compute_take_job(struct stage *stage, const struct job_view *job, struct work *work);
/* The result that replaces an answer that is late. */
const struct json *compute_timeout(struct stage *stage);
/* The result of a job whose mock answers with a value (may be NULL). */
const struct json *compute_result(struct stage *stage, const struct work *work, const struct json *value);
/* Simulating: an answer where no mock is. */
const struct json *compute_guess(struct stage *stage, const struct work *work);

/* writes.c */
struct call *writes_create(struct stage *stage, str definition, str transition, const struct json *data);
/* A transition, or a deletion. `data` may be NULL. */
struct call *writes_change(struct stage *stage, const struct op *op, const struct actor *actor,
                           const struct json *data);
/* At the end of a case: all writes have answers, or the run is stopped. */
bool writes_check_end(struct stage *stage);
/* Trials: creates an entity, and waits for the answer; false: it was refused. */
bool writes_try_create(struct stage *stage, str definition, const struct json *data);
/* True of an entity that goes on only if somebody fires a transition. */
bool writes_at_rest(const struct actor *actor);
/* Fires a transition. `data` may be NULL. False: the run is stopped. */
bool writes_fire(struct stage *stage, const struct actor *actor, str name, const struct json *data);
/* Simulating: fires a transition of the first entity; false: not any more. */
bool writes_fire_by_chance(struct stage *stage);

/* guess.c */
/* Simulating: delivers events that one of the conditions waits for, until the token goes on. */
void guess_events(struct stage *stage, const struct actor *actor, uint32_t execution);

/* view.c */
const struct json *view_actor(struct stage *stage, const struct actor *actor);
/* In the words of its dialect. */
str view_status(const struct stage *stage, const struct actor *actor);
/* The number of the task with that name in a scenario: "i1.2", "o.2"; 0: no task of the instance has it. */
size_t view_task(struct stage *stage, const struct actor *actor, str name);
struct id view_task_id(struct stage *stage, const struct actor *actor, size_t number);
/* The ids of the steps it visited, in order. */
const struct json *view_path(struct stage *stage, const struct actor *actor);
/* The members that invariants can name. */
const struct json *view_for_invariants(struct stage *stage, const struct actor *actor);

/* match.c. Differences go to the stage. `whole`: no members may be left unmentioned. */
void match(struct stage *stage, const struct json *expected, const struct json *actual, bool whole,
           str where);
/* An instance's view: `output` compares whole unless outputMatch says subset. */
void match_view(struct stage *stage, const struct json *expected, const struct json *actual, str where);

/* expect.c */
void expect_check(struct stage *stage, const struct json *expect);

/* invariants.c */
enum status invariants_read(const struct json *list, struct arena *arena, struct invariant **ret_invariant,
                            size_t *ret_count, struct error *err);
bool invariants_hold(struct stage *stage); /* Else the run is stopped. */

/* play.c */
/* Runs a scenario as the choices say. True if it passed. */
bool play(const struct scenario *scenario, struct choices *choices, enum variation variation,
          struct arena *arena, struct scenario_result *ret_result);

/* ---- scenario files that the engine writes ---- */

void script_add_text(struct json_builder *out, const char *name, str text);
/* Opens the object of a step: {"op": …. */
void script_add_op(struct json_builder *out, const char *op);
void script_add_span(struct json_builder *out, const char *name, int64_t ms);

#endif
