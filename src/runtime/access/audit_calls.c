/* runtime/access/audit_calls.c — which commands leave a row in the audit, and what it says.
 *
 * The table has a decision for every kind of call that writes; a unit test finds a kind without one. Starts,
 * reports of workers, events and entities are in histories, with the name of the one who did it. Data is
 * never in a row. Names of changed variables are.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"
#include "json/put.h"
#include "runtime/limits.h"

enum { DETAILS_BYTES = 128 }; /* The details of most answers need less. */

enum decision { UNDECIDED, IN_HISTORY, NO_CHANGE, BY_ITSELF, AUDITED };

/* Fills in the object of the row, and its details. False: nothing has changed. */
typedef bool describe_fn(const struct call *call, struct arena *arena, struct audit_row *row);

static void set_action(struct audit_row *row, enum audit_action action)
{
    row->numbered = action;
    row->action = audit_action_word(action);
}

/* The id is printed when somebody reads the row. */
static void set_id(struct audit_row *row, struct id id)
{
    row->is_id = true;
    row->id = id;
}

static void put_names(struct buf *out, const struct json *object)
{
    struct json_each each = json_each(object);
    bool first = true;
    PUT(out, "[");
    while (json_is(object, JSON_OBJECT) && json_next(&each)) {
        if (!first) PUT(out, ",");
        put_text(out, each.name);
        first = false;
    }
    PUT(out, "]");
}

/* The names of the secrets that a definition may use from now on: "*" is any. */
static void put_secrets(struct buf *out, const struct call_deploy *asked)
{
    if (!asked->secret_use_count) return;
    PUT(out, ",\"secrets\":[");
    for (size_t i = 0; i < asked->secret_use_count && i < AUDIT_SECRETS_MAX; i++) {
        if (i) PUT(out, ",");
        put_text(out, asked->secret_use[i].name.n ? asked->secret_use[i].name : STR("*"));
    }
    if (asked->secret_use_count > AUDIT_SECRETS_MAX) PUT(out, ",\"…\"");
    PUT(out, "]");
}

/* ---- one function for each shape ---- */

static bool describe_deploy(const struct call *call, struct arena *arena, struct audit_row *row)
{
    const struct answer_definitions *answer = &call->value.definitions;
    struct buf details;
    if (!answer->is_new || !answer->count) return false;
    row->object = answer->row->id;
    buf_init(&details, arena);
    PUT(&details, "\"version\":");
    put_int(&details, answer->row->version);
    if (answer->row->restores) {
        PUT(&details, ",\"restores\":");
        put_int(&details, answer->row->restores);
        if (call->kind == CALL_DEPLOY) set_action(row, DID_DEFINITION_RESTORE);
    }
    if (answer->row->revision.n) {
        PUT(&details, ",\"revision\":");
        put_text(&details, answer->row->revision);
    }
    if (call->kind == CALL_DEPLOY) put_secrets(&details, &call->as.deploy);
    row->details = buf_str(&details);
    return true;
}

static bool describe_instance(const struct call *call, struct arena *arena, struct audit_row *row)
{
    const struct call_instance *asked = &call->as.instance;
    struct buf details;
    set_id(row, asked->id);
    if (!asked->data && !asked->node.n) return true;
    buf_init(&details, arena);
    buf_reserve(&details, DETAILS_BYTES);
    PUT(&details, "\"variables\":");
    put_names(&details, asked->data);
    if (asked->node.n) {
        PUT(&details, ",\"step\":");
        put_text(&details, asked->node);
    }
    row->details = buf_str(&details);
    return true;
}

static bool describe_modify(const struct call *call, struct arena *arena, struct audit_row *row)
{
    const struct call_modify *asked = &call->as.modify;
    struct buf details;
    if (asked->dry_run) return false;
    set_id(row, asked->id);
    buf_init(&details, arena);
    PUT(&details, "\"variables\":");
    put_names(&details, asked->data);
    if (json_count(asked->unset)) {
        PUT(&details, ",\"unset\":");
        json_print(asked->unset, &details);
    }
    PUT(&details, ",\"moves\":");
    put_int(&details, (int64_t)asked->modification_count);
    row->details = buf_str(&details);
    return true;
}

static bool describe_task(const struct call *call, struct arena *arena, struct audit_row *row)
{
    struct buf details;
    set_id(row, call->as.task.id);
    if (!call->as.task.changes) return true;
    buf_init(&details, arena);
    PUT(&details, "\"changes\":");
    put_names(&details, call->as.task.changes);
    row->details = buf_str(&details);
    return true;
}

static bool describe_trigger(const struct call *call, struct arena *arena, struct audit_row *row)
{
    const struct call_trigger *asked = &call->as.trigger;
    if (!asked->paused) set_action(row, DID_TRIGGER_RESUME);
    row->object = arena_printf(arena, "%.*s/%.*s", STR_ARG(asked->definition_id), STR_ARG(asked->trigger));
    return true;
}

static bool describe_pause(const struct call *call, struct arena *arena, struct audit_row *row)
{
    (void)arena;
    if (!call->as.pause.paused) set_action(row, DID_ENGINE_RESUME);
    return true;
}

static bool describe_bulk(const struct call *call, struct arena *arena, struct audit_row *row)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [BULK_##NAME] = word,
        BULK_ACTION_MAP(XX)
#undef XX
    };
    const struct answer_bulks *answer = &call->value.bulks;
    if (!answer->count) return false;
    const struct bulk_row *bulk = &answer->view->row;
    must((size_t)bulk->action < COUNT(words));
    set_id(row, bulk_id(bulk));
    row->details = arena_printf(arena, "\"command\":\"%s\",\"instances\":%lld", words[bulk->action],
                                (long long)bulk->found);
    return true;
}

static bool describe_secret(const struct call *call, struct arena *arena, struct audit_row *row)
{
    (void)arena;
    row->object = call->as.secret.name;
    return true;
}

static bool describe_model(const struct call *call, struct arena *arena, struct audit_row *row)
{
    static const char *const words[] = { [MODEL_IMPORT] = "import",
                                         [MODEL_LOCK] = "lock",
                                         [MODEL_UNLOCK] = "unlock",
                                         [MODEL_SET_LEVEL] = "set-level",
                                         [MODEL_SET_INDEXES] = "set-indexes",
                                         [MODEL_SET_KEYS] = "set-keys",
                                         [MODEL_REMOVE] = "remove" };
    const struct call_model *asked = &call->as.model;
    must(asked->action < COUNT(words));
    row->object = arena_printf(arena, "%.*s/%d", STR_ARG(asked->name), asked->version);
    row->details = arena_printf(arena, "\"change\":\"%s\"", words[asked->action]);
    return true;
}

static bool describe_removal(const struct call *call, struct arena *arena, struct audit_row *row)
{
    const struct call_removal *asked = &call->as.removal;
    row->object = arena_printf(arena, "%.*s/%d", STR_ARG(asked->model), asked->version);
    row->details = arena_printf(arena, "\"removed\":%lld", (long long)call->value.removal.removed);
    return true;
}

static bool describe_nothing(const struct call *call, struct arena *arena, struct audit_row *row)
{
    (void)call, (void)arena, (void)row;
    return true;
}

/* ---- the table ---- */

static const struct {
    enum decision decision;
    enum audit_action action;
    describe_fn *describe;
} decisions[CALL_KIND_COUNT] = {
    [CALL_DEPLOY] = { AUDITED, DID_DEFINITION_DEPLOY, describe_deploy },
    [CALL_RETIRE] = { AUDITED, DID_DEFINITION_RETIRE, describe_deploy },
    [CALL_DELETE_DEFINITION] = { AUDITED, DID_DEFINITION_DELETE, describe_deploy },
    [CALL_APPLY] = { BY_ITSELF },                                          /* A row for each definition. */
    [CALL_RESTORE] = { AUDITED, DID_DEFINITION_RESTORE, describe_deploy }, /* It becomes a DEPLOY. */
    [CALL_START] = { IN_HISTORY },
    [CALL_REPLAY] = { IN_HISTORY }, /* It becomes a start. */
    [CALL_COMPLETE_JOB] = { IN_HISTORY },
    [CALL_FAIL_JOB] = { IN_HISTORY },
    [CALL_BATCH] = { IN_HISTORY },
    [CALL_COMPLETE_TASK] = { AUDITED, DID_TASK_COMPLETE, describe_instance },
    [CALL_CLAIM_TASK] = { AUDITED, DID_TASK_CLAIM, describe_task },
    [CALL_UNCLAIM_TASK] = { AUDITED, DID_TASK_RELEASE, describe_task },
    [CALL_ASSIGN_TASK] = { AUDITED, DID_TASK_ASSIGN, describe_task },
    [CALL_COMMENT_TASK] = { IN_HISTORY },
    [CALL_SIGNAL] = { IN_HISTORY },
    [CALL_CANCEL] = { AUDITED, DID_INSTANCE_CANCEL, describe_instance },
    [CALL_RETRY] = { AUDITED, DID_INSTANCE_RETRY, describe_instance },
    [CALL_MODIFY] = { AUDITED, DID_INSTANCE_MODIFY, describe_modify },
    [CALL_EVENTS] = { IN_HISTORY },
    [CALL_ARRIVE] = { IN_HISTORY },
    [CALL_PAUSE_TRIGGER] = { AUDITED, DID_TRIGGER_PAUSE, describe_trigger },
    [CALL_PAUSE_ENGINE] = { AUDITED, DID_ENGINE_PAUSE, describe_pause },
    [CALL_BULK] = { AUDITED, DID_BULK_BEGIN, describe_bulk },
    [CALL_CANCEL_BULK] = { AUDITED, DID_BULK_CANCEL, describe_bulk },
    [CALL_PAUSE_BULK] = { AUDITED, DID_BULK_PAUSE, describe_bulk },
    [CALL_RESUME_BULK] = { AUDITED, DID_BULK_RESUME, describe_bulk },
    [CALL_SAVE_DRAFT] = { NO_CHANGE }, /* Nothing runs by a draft. */
    [CALL_REMOVE_DRAFT] = { NO_CHANGE },
    [CALL_SET_SECRET] = { AUDITED, DID_SECRET_SET, describe_secret },
    [CALL_REMOVE_SECRET] = { AUDITED, DID_SECRET_REMOVE, describe_secret },
    [CALL_TEST_CONNECTION] = { AUDITED, DID_CONNECTION_TEST, describe_secret },
    [CALL_REKEY_SECRETS] = { AUDITED, DID_SECRET_REKEY, describe_nothing },
    [CALL_CHANGE_MODEL] = { AUDITED, DID_MODEL_CHANGE, describe_model },
    [CALL_BEGIN_SEARCH] = { NO_CHANGE },
    [CALL_CANCEL_SEARCH] = { NO_CHANGE },
    [CALL_WRITE_ENTITIES] = { IN_HISTORY },
    [CALL_REMOVE_ENTITIES] = { AUDITED, DID_ENTITY_REMOVE, describe_removal },
    [CALL_CHANGE_ACCESS] = { BY_ITSELF },
    [CALL_NOTE_ACCESS] = { BY_ITSELF },
};

bool audit_calls_decided(enum call_kind kind)
{
    must(kind < CALL_KIND_COUNT);
    return decisions[kind].decision != UNDECIDED;
}

/* A call without a caller is the engine's own: a timer, a part of a bulk that has its row already. */
enum status audit_calls_note(struct turn *turn, const struct call *call, struct error *err)
{
    must(audit_calls_decided(call->kind));
    if (decisions[call->kind].decision != AUDITED || !call->caller) return ST_OK;
    struct audit_row row = { 0 };
    must(decisions[call->kind].describe && decisions[call->kind].action && call->status == ST_OK);
    set_action(&row, decisions[call->kind].action);
    if (!decisions[call->kind].describe(call, &turn->arena, &row)) return ST_OK;
    return audit_note(turn, call, &row, err);
}
