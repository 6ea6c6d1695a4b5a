/* runtime/apply.c — an APPLY on the engine: several changes in one transaction.
 *
 *     what the client expects ──► documents ──► definitions that retire ──► triggers ──► access
 *
 * The query thread has compiled and judged all documents (compile.c, apply_judge.c). A refusal after the
 * first row was written makes the transaction fail, so that nothing of the call is left. A dry run comes
 * here only for what the query thread cannot know: triggers, access and expectations.
 */
#include "runtime/runtime_int.h"

#include "base/must.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/call/call.h"
#include "runtime/definitions/definitions.h"
#include "runtime/transact/transact.h"

void apply_name_file(const struct apply_item *item, struct error *err)
{
    const struct error why = *err;
    if (!item->file.n) return;
    if (why.code) fail_code(err, why.status, why.code, "%.*s: %s", STR_ARG(item->file), why.message);
    else fail(err, why.status, why.where, "%.*s: %s", STR_ARG(item->file), why.message);
    fail_details(err, str_of(fail_details_of(&why)));
}

/* ---- expectations ---- */

/* Somebody looked at the definitions before and means the versions that were the latest then. */
static enum status check_expected(struct turn *turn, const struct call *call, struct error *err)
{
    const struct call_apply *asked = &call->as.apply;
    for (size_t i = 0; i < asked->expected_count; i++) {
        const struct apply_expected *expected = &asked->expected[i];
        struct definition_row row = { .version = 0 };
        bool is_there;
        TRY(found_asked(store_find_definition(turn->engine->store, call->ns, expected->id, VERSION_LATEST,
                                              &turn->arena, &row, err),
                        &is_there));
        int32_t version = is_there ? row.version : 0;
        if (version != expected->version)
            return fail(err, ST_CONFLICT, "expected",
                        "the latest version of \"%.*s\" is %d and not %d: it was changed meanwhile",
                        STR_ARG(expected->id), version, expected->version);
    }
    return ST_OK;
}

/* ---- triggers ---- */

/* Does a document of this request have the trigger, or lack it? False: there is no document of the
 * definition. */
static bool find_in_documents(const struct call_apply *asked, const struct call_trigger *trigger,
                              bool *ret_has)
{
    for (size_t i = 0; i < asked->definition_count; i++) {
        const struct program *program = asked->item[i].call->program_;
        if (!program || !str_equal(asked->item[i].id, trigger->definition_id)) continue;
        *ret_has = program_find_arrival(program, trigger->trigger) != ARRIVAL_NONE;
        return true;
    }
    return false;
}

static enum status judge_trigger(struct turn *turn, const struct call_apply *asked, struct apply_item *item,
                                 struct error *err)
{
    const struct call_trigger *trigger = &item->call->as.trigger;
    struct trigger_state state;
    bool has;
    TRY(trigger_routes_find_state(turn, item->call->ns, trigger->definition_id, trigger->trigger, &state,
                                  err));
    if (!find_in_documents(asked, trigger, &has)) has = state.is_there;
    if (!has) return trigger_routes_fail_unknown(trigger, err);
    bool is_same = state.is_paused == trigger->paused &&
                   (!trigger->paused || !trigger->reason.n || str_equal(trigger->reason, state.reason));
    item->verdict = is_same ? APPLY_UNCHANGED : APPLY_CHANGED;
    return ST_OK;
}

/* ---- items ---- */

static enum apply_verdict verdict_of(const struct call *part)
{
    const struct answer_definitions *answer = &part->value.definitions;
    bool changes_model =
        part->kind == CALL_DEPLOY && part->as.deploy.import && part->as.deploy.import->changes;
    if (!answer->is_new) return changes_model ? APPLY_CHANGED : APPLY_UNCHANGED;
    if (part->kind == CALL_RETIRE) return APPLY_RETIRED;
    if (answer->row->restores) return APPLY_RESTORED;
    return answer->row->version == 1 ? APPLY_NEW : APPLY_CHANGED;
}

static enum status apply_access(struct turn *turn, struct apply_item *item, struct error *err)
{
    const struct answer_access *answer = &item->call->value.access;
    TRY(change_access_call(turn, item->call, err));
    item->verdict = APPLY_UNCHANGED;
    for (size_t i = 0; i < answer->count; i++)
        if (!answer->view[i] || !answer->is_same[i]) item->verdict = APPLY_CHANGED;
    return ST_OK;
}

static enum status apply_trigger(struct turn *turn, const struct call_apply *asked, struct apply_item *item,
                                 struct error *err)
{
    TRY(judge_trigger(turn, asked, item, err));
    if (asked->dry_run || item->verdict == APPLY_UNCHANGED) return ST_OK;
    TRY(trigger_routes_pause_call(turn, item->call, err));
    item->call->status = ST_OK;
    return audit_calls_note(turn, item->call, err);
}

static enum status apply_definition(struct turn *turn, struct apply_item *item, struct error *err)
{
    struct call *part = item->call;
    TRY(part->kind == CALL_RETIRE ? retire_call(turn, part, err) : deploy_call(turn, part, err));
    item->verdict = verdict_of(part);
    part->status = ST_OK;
    return item->verdict == APPLY_UNCHANGED ? ST_OK : audit_calls_note(turn, part, err);
}

static enum status apply_item(struct turn *turn, const struct call_apply *asked, struct apply_item *item,
                              struct error *err)
{
    if (item->call->kind == CALL_PAUSE_TRIGGER) return apply_trigger(turn, asked, item, err);
    if (item->call->kind == CALL_CHANGE_ACCESS) return apply_access(turn, item, err);
    return asked->dry_run ? ST_OK : apply_definition(turn, item, err);
}

enum status apply_call(struct turn *turn, struct call *call, struct error *err)
{
    struct call_apply *asked = &call->as.apply;
    bool wrote = false;
    must(!asked->refused);
    TRY(check_expected(turn, call, err));
    for (size_t i = 0; i < asked->count; i++) {
        struct apply_item *item = &asked->item[i];
        /* A model is saved with its workflows, whatever becomes of those. */
        wrote |= item->call->kind == CALL_DEPLOY && item->call->as.deploy.import;
        wrote |= item->call->kind == CALL_CHANGE_ACCESS;
        if (apply_item(turn, asked, item, err) != ST_OK) {
            apply_name_file(item, err);
            return wrote && !asked->dry_run ? transact_failed(turn, err) : err->status;
        }
        wrote |= item->verdict != APPLY_UNCHANGED;
    }
    return ST_OK;
}
