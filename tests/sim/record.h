/* tests/sim/record.h — one history record on its way through the checker. */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H

#include "checker.h"

/* A token that has left and has not arrived yet. */
struct passage {
    uint32_t from;
    uint32_t scope;
    bool into_fork;
    size_t to;   /* The step, or for a fork the gateway. */
    bool unsure; /* Any edge of `step` will do. */
    size_t step;
    size_t arrived; /* Into a fork: so many branches. */
    bool done;
};

/* A token that is gone from where it stood: by LEAVE it must come out somewhere else. */
struct flow_gone {
    uint32_t execution;
    size_t state;
    uint32_t scope;
    bool must_arrive, arrived;
};

/* The same in a flow graph: where it must come out. */
enum { GRAPH_WAYS_MAX = 8 };
struct graph_gone {
    uint32_t execution, scope, way;
    size_t node;
    size_t edge[GRAPH_WAYS_MAX]; /* GRAPH_NONE: to the end of unwired ports. */
    bool came[GRAPH_WAYS_MAX];
    size_t count;
    bool at_join, used_up; /* It waited at a join; another token went on for it. */
    bool cut_short, retried;
};

/* An error of a flow graph: what must follow from it. */
enum error_way { ERROR_NONE, ERROR_TO_PORT, ERROR_TO_ITEM, ERROR_TO_UNDO, ERROR_OF_UNDO, ERROR_FAILS };
struct graph_error {
    enum error_way is;
    uint32_t origin;    /* The visit that raised it. */
    uint32_t execution; /* The visit whose port takes it, that undoing hosts, or that fails. */
    uint32_t scope;     /* The item or the undoing that fails. */
};

/* A modification, as far as the model knows who and where. */
struct planned {
    enum modification_kind kind;
    uint32_t execution; /* Who goes; 0: nobody. */
    size_t step;        /* Where somebody comes: a step, or a state; STEP_NONE: nowhere. */
    uint32_t scope;
    bool gone, arrived;
};
struct modify_plan {
    LIST(struct planned) items;
};

/* What one record has done so far. */
struct record {
    struct world *world;
    struct checker *checker;
    struct model_instance *instance;
    const struct history *history;
    struct request *request;   /* Who asked; NULL: a timer or a chain. */
    struct job_report *report; /* Of a worker. */
    LIST(struct passage) passages;
    LIST(uint32_t) silenced; /* Executions that lost a timer before it fired. */
    uint32_t released;       /* The execution whose waiting this command ends. */
    uint32_t served;         /* The same, by a signal that was there before it. */
    struct model_job closed; /* The job that was closed last. */
    bool job_failed;         /* … and needs an answer. */
    size_t end;              /* The END that was reached, or STEP_NONE. */
    bool failed, forgot, cancelled;
    bool stuck;       /* What was forgotten was stuck: who comes in its place only leaves. */
    uint32_t opening; /* The scope whose join opens. */
    uint32_t fired;   /* The execution whose timer came due. */
    const struct spec_timer *timer;
    size_t data_count, chain_count, cut_count, remark_count;
    struct modify_plan plan; /* Of a MODIFY. */
    /* Of a flow: */
    LIST(struct flow_gone) gone;
    bool by_child;       /* A child's end is the cause. */
    bool unsure;         /* Several reports may be the cause. */
    bool again;          /* The job was opened anew. */
    uint32_t rule;       /* … by this policy. */
    str error_name;      /* Why the job failed; empty: it did not. */
    uint32_t fired_wait; /* The wait that took its events last. */
    /* Of a flow graph: */
    const struct request *arriving; /* The request that has arrived, … */
    str arrived_at;                 /* … and the trigger. */
    bool arrival_expected;
    size_t lets_in;        /* Where the arrival lets a token in. */
    uint32_t wakes, woken; /* The visit that the arrival must end; that it ended, or began. */
    uint64_t replaced_by;
    LIST(struct graph_gone) departed;
    LIST(struct model_token) gathered; /* Have left a join that has not opened yet. */
    LIST(struct graph_owed) owed_now, cancelling;
    struct model_token absorbed;
    struct graph_error error;
    LIST(struct graph_error) errors; /* That may have been raised before tokens were taken away. */
    bool errors_noted;
    uint32_t again_at;   /* The visit whose call must be tried again. */
    uint32_t remembered; /* The visit that can be undone from now on. */
    uint32_t opened;     /* The region that was opened last. */
    uint32_t granted;    /* The visit that has got its lock. */
    bool terminated, undo_began;
    bool stopped;                 /* By its budget. */
    bool retries;                 /* A migration that retries a failed instance. */
    const struct json *bulk_body; /* The request of the bulk that has the command; NULL: none has. */
};

__attribute__((format(printf, 2, 3))) void record_violated(struct record *record, const char *format, ...);
#define bad(record, ...) record_violated(record, __VA_ARGS__)

/* The step of that index; the token of that visit, which must be there (else NULL). */
const struct spec_step *record_step(const struct record *record, size_t step);
struct model_token *record_token(struct record *record, uint32_t execution);
/* Takes a number that was never used. */
bool record_number(struct record *record, uint32_t number);
/* A token is on its way. */
void record_departure(struct record *record, struct passage passage);

/* Holds one entry against the model, and lets the model follow (checker_entry.c). */
void record_entry(struct record *record, const struct entry *entry);
/* The same for those about jobs and timers (checker_work.c). */
void record_job_open(struct record *record, const struct entry *entry);
void record_job_close(struct record *record, const struct entry *entry);
void record_timer_open(struct record *record, const struct entry *entry);
void record_timer_close(struct record *record, const struct entry *entry);

struct model_visit *record_visit(const struct model_instance *instance, uint32_t execution);
/* checker_stuck.c */
void record_stall(struct record *record, const struct entry *entry);
void record_signal_in(struct record *record, const struct entry *entry);
void record_mail_out(struct record *record, const struct entry *entry);
void record_check_mail(struct record *record);
/* What a token at a wait is given if a signal was there before it; NULL: none was. */
const struct json *record_served_data(const struct record *record, const struct model_token *token);
/* checker_modify.c. May the instance be modified like this? The plan is what must happen then. */
bool modify_is_allowed(struct checker *checker, const struct model_instance *instance,
                       const struct request *request, struct modify_plan *plan);
void modify_begin(struct record *record);
/* What is planned for a token that is taken away; NULL: nothing. */
const struct planned *modify_goes(struct record *record, const struct model_token *token);
/* Is it planned that somebody appears there? */
bool modify_comes(struct record *record, const struct entry *entry, size_t step);
void modify_cut(struct record *record, const struct entry *entry);
void modify_remark(struct record *record, const struct entry *entry);
void modify_end(struct record *record);

/* ---- flows ---- */

/* checker_flow.c */
void flow_follow(struct record *record, const struct entry *entry);
void flow_end(struct record *record, const struct journal_record *from);
/* checker_region.c */
void flow_region_open(struct record *record, const struct entry *entry);
void flow_region_end(struct record *record, const struct entry *entry);
void flow_scope_close(struct record *record, const struct entry *entry);
void flow_job_open(struct record *record, const struct entry *entry);
void flow_job_input(struct record *record, const struct entry *entry);
void flow_job_rule(struct record *record, const struct entry *entry);
void flow_job_close(struct record *record, const struct entry *entry);
void flow_check_retry(struct record *record);
/* Replays the record: its history and the state must agree. */
void flow_replay(struct record *record, const struct journal_record *from);
/* checker_event.c */
void flow_got_event(struct record *record);
void flow_mail_in(struct record *record, const struct entry *entry);
void flow_mail_out(struct record *record, const struct entry *entry);
void flow_mail_take(struct record *record, const struct entry *entry);
/* The token is gone: what was kept for its retry is used up; or it failed, and gets it back. */
void flow_drop_taken(struct record *record, uint32_t holder, bool give_back);
void flow_correlate(struct record *record, const struct entry *entry);
void flow_check_waits(struct record *record, const struct model_token *token);
/* checker_family.c */
void family_born(struct record *record);
/* Where an instance says that it comes from: its family, the instance it was chained from. */
void family_origin(struct record *record, const struct entry *entry);
void family_reported(struct record *record);
void family_cancelled(struct record *record);
void family_job_closed(struct record *record, uint32_t job);

/* ---- flow graphs ---- */

const struct graph *record_graph(const struct record *record);
const struct graph_node *graph_node_at(const struct record *record, size_t node);
/* checker_graph.c */
/* ---- checker_lock.c ---- */

void lock_ask(struct record *record, const struct entry *entry);
void lock_park(struct record *record, struct model_token *token);
void lock_grant(struct record *record, const struct entry *entry);
/* A visit that needs a lock has begun. */
void lock_check_held(struct record *record, const struct model_token *token);
/* The visit is over; so is the instance. */
void lock_drop(struct record *record, uint32_t execution);
void lock_drop_all(struct record *record);

void graph_begin(struct record *record);
void graph_follow(struct record *record, const struct entry *entry);
void graph_end(struct record *record, const struct journal_record *from);
/* checker_join.c */
void graph_gathered(struct record *record, const struct model_token *token);
void graph_opened(struct record *record, const struct graph_gone *opener);
void graph_absorbed(struct record *record, const struct model_token *token);
void graph_owe(struct record *record, const struct entry *entry);
void graph_check_gathered(struct record *record);
void graph_check_joins(struct record *record);
/* Was it taken away by a join that opened without it? */
bool graph_was_cancelled(const struct record *record, const struct graph_gone *gone);
/* The first join of each scope in which nothing can move any more. */
void graph_each_stuck(struct record *record, void (*note)(struct record *, uint32_t, bool));
/* checker_loop.c */
void graph_each_open(struct record *record, const struct entry *entry);
void graph_region_open(struct record *record, const struct entry *entry);
bool graph_begins_region(struct record *record, const struct entry *entry, size_t node);
void graph_item_end(struct record *record, const struct entry *entry);
void graph_scope_close(struct record *record, const struct entry *entry);
bool graph_loop_is_over(const struct record *record, uint32_t host);
void graph_drop_loop(struct record *record, uint32_t host);
void graph_check_loops(struct record *record);
void graph_begin_error(struct record *record, uint32_t execution, bool modelled);
/* Tokens are taken away: which errors may be the reason? */
void graph_note_errors(struct record *record);
void graph_guess_error(struct record *record, enum error_way is, uint32_t number);
void graph_raise(struct record *record, const struct entry *entry);
void graph_fail(struct record *record, const struct entry *entry);
void graph_undoable(struct record *record, const struct entry *entry);
void graph_undo(struct record *record, const struct entry *entry);
void graph_undo_state(struct record *record, const struct entry *entry);
/* checker_call.c */
void graph_job_open(struct record *record, const struct entry *entry);
void graph_job_input(struct record *record, const struct entry *entry);
void graph_job_close(struct record *record, const struct entry *entry);
void graph_timer_open(struct record *record, const struct entry *entry);
void graph_timer_close(struct record *record, const struct entry *entry);
/* checker_arrive.c: an arrival creates, updates or replaces an instance. */
void arrive_created(struct record *record);
void arrive_updated(struct record *record);
void arrive_replaced(struct record *record);
/* Does the arrival that creates the instance take the place of another one? */
bool arrive_replaces(const struct record *record);

/* checker_schedule.c: a schedule is the cause of a start. */
void checker_slot(struct record *record);

/* checker_bulk.c: is a bulk the cause? Then it has to be allowed. */
bool bulk_commanded(struct record *record);
/* checker_migrate.c: the instance goes on with another version. */
void migrate_follow(struct record *record, const struct entry *entry);

const struct entry *record_find(const struct history *history, enum entry_kind kind);

struct model_scope *model_scope(const struct model_instance *instance, uint32_t number);
size_t model_jobs_of(const struct model_instance *instance, uint32_t execution);
size_t model_timers_of(const struct model_instance *instance, uint32_t execution);

/* How many tokens of a scope stand at its join, and how many tokens and scopes in it are on the way. */
size_t model_arrived(const struct model_instance *instance, uint32_t scope, size_t *ret_moving);

#endif
