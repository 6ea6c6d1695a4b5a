/* runtime/queries.c — answers each call that only reads, on the query thread. */
#include "runtime/queries.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/bulk/bulk.h"
#include "runtime/call/sight.h"
#include "runtime/definitions/definitions.h"
#include "runtime/entities/entities.h"
#include "runtime/memory/memory.h"
#include "runtime/operate/operate.h"
#include "runtime/runtime_int.h"
#include "runtime/tasks/tasks.h"
#include "runtime/transact/transact.h"

/* ---- instances ---- */

static enum status get_instance(struct query *query, struct call *call, struct error *err)
{
    return instance_reads_show(query, call, call->as.read.id, call->as.read.with_children, err);
}

/* Reads once more an instance whose state had no room in the list, and shows its small parts. */
static enum status view_short(struct query *query, const struct instance_row *row, struct arena *scratch,
                              struct arena *arena, struct instance_view *ret_view, struct error *err)
{
    struct instance_row whole;
    TRY(found_needed(reader_instance(query->reader, TENANT_ANY, row->id, scratch, &whole, err)));
    return instance_reads_row(query, &whole, false, scratch, arena, ret_view, err);
}

/* A page by number has all its items, the later ones perhaps without their data. A page by cursor ends where
 * it is full. */
static enum status view_list(struct query *query, struct call *call, const struct instance_row *row,
                             size_t count, struct error *err)
{
    struct answer_instances *answer = &call->value.instances;
    struct arena scratch;
    enum status status = ST_OK;
    arena_init(&scratch, 0);
    answer->view = arena_make_n(call->arena, struct instance_view, count);
    for (size_t i = 0; i < count && status == ST_OK; i++) {
        struct instance_view *view = &answer->view[answer->count];
        if (!row[i].state.n && !call->as.instances.with_total) {
            answer->cut = true;
            break;
        }
        if (row[i].state.n)
            status = instance_reads_row(query, &row[i], true, &scratch, call->arena, view, err);
        else status = view_short(query, &row[i], &scratch, call->arena, view, err);
        arena_reset(&scratch);
        if (status == ST_OK) answer->count++;
        if (status == ST_NOT_FOUND) { /* Retention has removed it meanwhile, and more may follow. */
            answer->cut = true;
            status = ST_OK;
        }
    }
    arena_done(&scratch);
    return status;
}

static enum status list_instances(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    const struct sight sight = sight_of(call);
    if (!sight_has_filter(&sight, call->as.instances.filter.definition_id))
        return seen_instances_list(query, call, ret_more, err);
    struct instance_row *row;
    size_t count;
    struct arena rows;
    arena_init(&rows, 0);
    call->as.instances.filter.ns = call->ns;
    reader_bound(query->reader, (size_t)query->limits.answer_bytes_max);
    enum status status =
        reader_instances(query->reader, &call->as.instances.filter, &rows, &row, &count,
                         call->as.instances.with_total ? &call->value.instances.total : NULL, err);
    if (status == ST_OK) status = view_list(query, call, row, count, err);
    arena_done(&rows);
    return status;
}

static enum status list_arrivals(struct query *query, struct call *call, struct error *err)
{
    return arrive_log_list(query->reader, call, err);
}

static enum status list_unmatched(struct query *query, struct call *call, struct error *err)
{
    struct answer_unmatched *answer = &call->value.unmatched;
    struct unmatched_row *row;
    size_t count, bytes = 0;
    if (!sight_of(call).all) return ST_OK; /* An event that nobody took belongs to no definition. */
    reader_bound(query->reader, (size_t)query->limits.answer_bytes_max);
    TRY(reader_unmatched(query->reader, call->ns, call->as.unmatched.before, call->as.unmatched.max,
                         call->arena, &row, &count, &answer->total, err));
    answer->view = arena_make_n(call->arena, struct unmatched_view, count);
    answer->count = count;
    for (size_t i = 0; i < count; i++) {
        answer->view[i] = (struct unmatched_view){ .number = row[i].number,
                                                   .received_ms = row[i].received_ms,
                                                   .reason = row[i].reason,
                                                   .event = json_decode(row[i].event, call->arena) };
        bytes += row[i].event.n;
    }
    answer->cut = bytes >= (size_t)query->limits.answer_bytes_max;
    if (!call->as.unmatched.with_total) return ST_OK;
    return kept_list(query->reader, call->ns, (size_t)query->limits.answer_bytes_max, call->arena,
                     &answer->waiting, &answer->waiting_count, &answer->waiting_more, err);
}

/* ---- history ---- */

static enum status read_history(struct query *query, struct call *call, struct error *err)
{
    struct answer_instances *answer = &call->value.instances;
    str *blob;
    size_t count;
    reader_bound(query->reader, WATCHED_BYTES_MAX);
    TRY(reader_history(query->reader, call->as.watch.id.instance, call->as.watch.after, 0, call->arena, &blob,
                       &count, err));
    answer->history = arena_make_n(call->arena, struct history, count);
    answer->history_count = count;
    for (size_t i = 0; i < count; i++) TRY(history_decode(blob[i], call->arena, &answer->history[i], err));
    return ST_OK;
}

static enum status watch(struct query *query, struct call *call, struct error *err)
{
    TRY(instance_reads_show(query, call, call->as.watch.id, false, err));
    return read_history(query, call, err);
}

/* ---- definitions ---- */

static enum status get_definition(struct query *query, struct call *call, struct error *err)
{
    struct answer_definitions *answer = &call->value.definitions;
    answer->row = arena_make(call->arena, struct definition_row);
    answer->count = 1;
    bool is_there;
    TRY(found_asked(reader_definition(query->reader, call->ns, call->as.definition.id,
                                      call->as.definition.version > 0 ? call->as.definition.version : 0,
                                      call->arena, answer->row, err),
                    &is_there));
    if (is_there) return ST_OK;
    if (call->as.definition.version > 0)
        return fail(err, ST_NOT_FOUND, "definition", "definition \"%.*s\" version %d not found",
                    STR_ARG(call->as.definition.id), call->as.definition.version);
    return fail(err, ST_NOT_FOUND, "definition", "definition \"%.*s\" not found",
                STR_ARG(call->as.definition.id));
}

static enum status get_indexes(struct query *query, struct call *call, struct error *err)
{
    struct answer_models *answer = &call->value.models;
    answer->view = arena_make(call->arena, struct model);
    answer->count = 1;
    TRY(found_needed(models_read(query->reader, call->ns, call->as.model.name, call->as.model.version,
                                 call->arena, answer->view, err)));
    answer->indexes = arena_make(call->arena, struct indexes);
    return indexes_read(query->reader, call->ns,
                        model_key(call->as.model.name, call->as.model.version, call->arena), call->arena,
                        answer->indexes, err);
}

static enum status get_model(struct query *query, struct call *call, struct error *err)
{
    struct answer_models *answer = &call->value.models;
    if (call->as.model.needs_keys) return get_indexes(query, call, err);
    answer->view = arena_make(call->arena, struct model);
    answer->count = 1;
    TRY(found_needed(models_read(query->reader, call->ns, call->as.model.name, call->as.model.version,
                                 call->arena, answer->view, err)));
    if (call->as.model.needs_workflows && (!answer->view->workflows || !json_count(answer->view->workflows)))
        return fail_code(err, ST_NOT_FOUND, "WORKFLOW_NOT_FOUND", "no workflows were imported for the model");
    return ST_OK;
}

/* Models can be large, and a list shows little of them: a few are read at a time. */
static enum status list_models(struct query *query, struct call *call, struct error *err)
{
    enum { AT_ONCE = 4 };
    struct answer_models *answer = &call->value.models;
    struct record_filter filter = {
        .ns = call->ns, .kind = RECORD_MODEL, .after = call->as.models.after, .max = AT_ONCE
    };
    const struct sight sight = sight_of(call);
    struct arena scratch;
    size_t left = call->as.models.max, count = AT_ONCE;
    enum status status = ST_OK;
    answer->view = arena_make_n(call->arena, struct model, left);
    arena_init(&scratch, 0);
    while (left && count == filter.max && status == ST_OK) {
        struct record_row *row;
        filter.max = left < AT_ONCE ? left : AT_ONCE;
        status = reader_records(query->reader, &filter, &scratch, &row, &count, err);
        if (status != ST_OK) break;
        for (size_t i = 0; i < count; i++) {
            struct model *model = &answer->view[answer->count];
            answer->count +=
                model_decode_summary(&row[i], &scratch, call->arena, model) && sight_has(&sight, model->name);
        }
        if (count) filter.after = arena_str(call->arena, row[count - 1].key);
        left = call->as.models.max - answer->count;
        arena_reset(&scratch);
    }
    arena_done(&scratch);
    answer->more = !left;
    return status;
}

/* Versions of an id are counted without gaps. */
static enum status list_versions(struct query *query, struct call *call, struct error *err)
{
    const struct call_versions *asked = &call->as.versions;
    struct answer_definitions *answer = &call->value.definitions;
    struct definition_row newest, latest;
    TRY(found_needed(
        reader_definition(query->reader, call->ns, asked->id, VERSION_NEWEST, call->arena, &newest, err)));
    TRY(found_needed(
        reader_definition(query->reader, call->ns, asked->id, VERSION_LATEST, call->arena, &latest, err)));
    must(latest.version <= newest.version);
    answer->latest = latest.version;
    int32_t version =
        asked->before > 0 && asked->before <= newest.version ? asked->before - 1 : newest.version;
    answer->total = newest.version;
    answer->row = arena_make_n(call->arena, struct definition_row, asked->max);
    for (; version > 0 && answer->count < asked->max; version--) {
        struct definition_row *row = &answer->row[answer->count++];
        TRY(found_needed(
            reader_definition(query->reader, call->ns, asked->id, version, call->arena, row, err)));
        row->source = STR_NONE;
    }
    return ST_OK;
}

/* The replay goes on as a start: its own kind has said all it can. */
static enum status replay(struct query *query, struct call *call, struct error *err)
{
    struct instance_row row;
    struct definition *definition;
    str *blob;
    size_t count;
    struct call_start start = { .actor = call->as.replay.actor, .replays = true };
    TRY(found_needed(instance_reads_find(query, call, call->as.replay.id, call->arena, &row, err)));
    TRY(found_needed(catalogue_get(&query->catalogue, row.definition, &definition, err)));
    if (definition->program->rules->is_ephemeral)
        return fail(err, ST_CONFLICT, "instance", "an Ephemeral instance has no history to replay");
    TRY(reader_history(query->reader, row.id, 0, 1, call->arena, &blob, &count, err));
    if (!count) return damage_fail(&row, "its history has no beginning", err);
    TRY(replay_beginning(definition->program, blob[0], call->arena, &start, err));
    if (!call->as.replay.is_as_before) start.is_test = call->as.replay.is_test;
    start.definition_id = row.definition_id;
    if (!start.is_test) start.business_key = row.business_key;
    call->kind = CALL_START;
    call->as.start = start;
    return ST_OK;
}

static enum status get_draft(struct query *query, struct call *call, struct error *err)
{
    return draft_get(query->reader, call, err);
}

static enum status list_drafts(struct query *query, struct call *call, struct error *err)
{
    return draft_list(query->reader, call, err);
}

/* For a caller who may see some definitions only: pages and total are of those. */
static enum status list_seen_definitions(struct query *query, struct call *call, const struct sight *sight,
                                         struct error *err)
{
    const struct call_definitions *asked = &call->as.definitions;
    struct answer_definitions *answer = &call->value.definitions;
    struct definition_row *row;
    size_t count = SEEN_DEFINITIONS_PART;
    int64_t read = 0, all;
    answer->row = arena_make_n(call->arena, struct definition_row, asked->max);
    while (count == SEEN_DEFINITIONS_PART && read < SEEN_DEFINITIONS_MAX) {
        TRY(reader_definitions(query->reader, call->ns, asked->keyword, read, SEEN_DEFINITIONS_PART,
                               call->arena, &row, &count, &all, err));
        for (size_t i = 0; i < count; i++) {
            if (!sight_has(sight, row[i].id)) continue;
            bool is_on_page = answer->total >= asked->skip && answer->count < asked->max;
            if (is_on_page) answer->row[answer->count++] = row[i];
            answer->total++;
        }
        read += (int64_t)count;
    }
    if (count < SEEN_DEFINITIONS_PART) return ST_OK;
    return fail(
        err, ST_LIMIT, "page",
        "more than %d definitions (SEEN_DEFINITIONS_MAX) cannot be looked through for a narrowed grant; "
        "name a keyword, or use GET /api/definitions",
        SEEN_DEFINITIONS_MAX);
}

static enum status list_definitions(struct query *query, struct call *call, struct error *err)
{
    const struct call_definitions *asked = &call->as.definitions;
    struct answer_definitions *answer = &call->value.definitions;
    const struct sight sight = sight_of(call);
    if (!sight.all) return list_seen_definitions(query, call, &sight, err);
    return reader_definitions(query->reader, call->ns, asked->keyword, asked->skip, asked->max, call->arena,
                              &answer->row, &answer->count, &answer->total, err);
}

/* The default tenant sees the numbers of the whole store; others see their own. */
static enum status get_statistics(struct query *query, struct call *call, struct error *err)
{
    struct store_statistics *statistics = &call->value.statistics;
    if (call->ns == TENANT_DEFAULT) return reader_statistics(query->reader, statistics, err);
    const struct find_filter filter = { .ns = call->ns };
    struct store_counts counts;
    struct definition_row *row;
    size_t count;
    TRY(reader_counts(query->reader, &filter, &counts, err));
    TRY(reader_definitions(query->reader, call->ns, STR_NONE, 0, 1, call->arena, &row, &count,
                           &statistics->definitions, err));
    statistics->tasks = counts.tasks;
    for (size_t i = 0; i < STORE_PHASES; i++) statistics->instances_by_status[i / 2] += counts.phase[i];
    return ST_OK;
}

static enum status get_entity(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    return call->as.entity.is_past ? entity_past_call(query, call, ret_more, err)
                                   : entity_get_call(query, call, err);
}

static enum status list_entities(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    return call->as.entity_list.is_past ? entity_survey_list(query, call, ret_more, err)
                                        : entity_list_call(query, call, ret_more, err);
}

static enum status count_entities(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    return call->as.counts.is_past ? entity_survey_count(query, call, ret_more, err)
                                   : entity_counts_call(query, call, ret_more, err);
}

/* Answers that come in parts, because they are long and others come in between. */
static enum status (*const long_ones[CALL_KIND_COUNT])(struct query *, struct call *, bool *,
                                                       struct error *) = {
    [CALL_APPLY] = compile_apply,
    [CALL_DELETE_DEFINITION] = deletion_find_needers,
    [CALL_BULK] = bulk_find,
    [CALL_REASONS] = bulk_find,
    [CALL_GET_ENTITY] = get_entity,
    [CALL_LIST_ENTITIES] = list_entities,
    [CALL_LIST_CHANGES] = entity_changes_call,
    [CALL_LIST_AUDIT] = entity_audit_call,
    [CALL_SEARCH] = search_call,
    [CALL_GET_SEARCH] = search_results_get,
    [CALL_COUNT_ENTITIES] = count_entities,
    [CALL_GROUP_ENTITIES] = entity_groups_call,
    [CALL_LIST_INSTANCES] = list_instances,
    [CALL_LIST_TASKS] = worklist_list_rows,
    [CALL_WORKLIST] = worklist_list,
    [CALL_LIST_RUNS] = operate_list_call,
    [CALL_LIST_SUMMARIES] = summaries_list,
    [CALL_LIST_TABLES] = table_list_call,
    [CALL_LIST_CONNECTIONS] = connections_list_call,
    [CALL_LIST_AUDIT_ROWS] = audit_read_list,
    [CALL_VERIFY_AUDIT] = audit_verify_call,
};

/* One part of the answer. `ret_more`: the call wants another part, because it is long and others come in
 * between. */
static enum status answer_part(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    static enum status (*const functions[CALL_KIND_COUNT])(struct query *, struct call *, struct error *) = {
        [CALL_DEPLOY] = compile_call,
        [CALL_GET_INSTANCE] = get_instance,
        [CALL_GET_HISTORY] = history_reads_get,
        [CALL_WATCH] = watch,
        [CALL_GET_DEFINITION] = get_definition,
        [CALL_LIST_DEFINITIONS] = list_definitions,
        [CALL_GET_TASK] = worklist_get_task,
        [CALL_LIST_UNMATCHED] = list_unmatched,
        [CALL_LIST_ARRIVALS] = list_arrivals,
        [CALL_GET_BULK] = bulk_get,
        [CALL_LIST_BULKS] = bulk_list,
        [CALL_BULK_RESULTS] = bulk_results,
        [CALL_LIST_SECRETS] = secrets_list,
        [CALL_STATISTICS] = get_statistics,
        [CALL_GET_RUN] = operate_run_get,
        [CALL_OVERVIEW] = operate_list_overview,
        [CALL_LIST_LOCKS] = operate_list_locks,
        [CALL_LIST_VISITS] = operate_run_visits,
        [CALL_GET_VISIT] = operate_run_visit,
        [CALL_GET_TRACE] = run_trace_call,
        [CALL_VALIDATE] = compile_validate,
        [CALL_PICTURE] = design_picture,
        [CALL_TICKS] = tick_preview_call,
        [CALL_TRY_TABLE] = try_table_call,
        [CALL_COMPARE] = compare_call,
        [CALL_GET_SUMMARY] = summaries_get,
        [CALL_GET_FORM] = forms_get,
        [CALL_REPLAY] = replay,
        [CALL_RESTORE] = compile_restore,
        [CALL_LIST_VERSIONS] = list_versions,
        [CALL_GET_MODEL] = get_model,
        [CALL_BEGIN_SEARCH] = search_results_check,
        [CALL_GET_INDEXES] = get_indexes,
        [CALL_LIST_MODELS] = list_models,
        [CALL_GET_DRAFT] = get_draft,
        [CALL_LIST_DRAFTS] = list_drafts,
        [CALL_RESOLVE] = resolve_call,
        [CALL_LIST_ACCESS] = listing_call,
        [CALL_FIND_RECIPIENTS] = recipients_call,
    };
    *ret_more = false;
    if (long_ones[call->kind]) return long_ones[call->kind](query, call, ret_more, err);
    must(functions[call->kind]); /* Else it is a call for the engine. */
    return functions[call->kind](query, call, err);
}

/* ---- long reads ---- */

/* Everybody waits for a part of each read that is under way. So there are only so many of one kind: searches
 * do not keep out lists. */
static enum status admit_long(struct query *query, struct call *call)
{
    bool groups = call->kind == CALL_GROUP_ENTITIES, applies = call->kind == CALL_APPLY;
    int64_t most = query->limits.long_reads_max;
    if (groups && most > GROUPS_CALLS_MAX) most = GROUPS_CALLS_MAX;
    if (applies && most > APPLY_CALLS_MAX) most = APPLY_CALLS_MAX;
    if ((int64_t)query->long_reads[call->kind] >= most)
        return fail_code(&call->error, ST_BUSY, "SEARCH_QUEUE_FULL",
                         "%lld requests of this kind %s, as many as may (%s); try again later",
                         (long long)most,
                         applies ? "bring many documents" : "look through many entities or instances",
                         applies  ? "APPLY_CALLS_MAX"
                         : groups ? "GROUPS_CALLS_MAX"
                                  : "long_reads_max");
    query->long_reads[call->kind]++;
    call->is_long_ = true;
    return ST_OK;
}

static void leave_long(struct query *query, struct call *call)
{
    query->long_reads[call->kind]--;
    call->is_long_ = false;
}

/* Only the engine knows triggers and access, and what others do meanwhile. */
static bool applies_on_engine(const struct call_apply *asked)
{
    return !asked->dry_run || asked->count > asked->definition_count || asked->expected_count;
}

/* Does the engine have a part in the answer? */
static bool goes_on(const struct call *call)
{
    return call->kind == CALL_DEPLOY || call->kind == CALL_START || call->kind == CALL_DELETE_DEFINITION ||
           (call->kind == CALL_APPLY && applies_on_engine(&call->as.apply)) ||
           (call->kind == CALL_BULK && !call->as.bulk.request->dry_run) || call->kind == CALL_BEGIN_SEARCH ||
           call->kind == CALL_OVERVIEW ||
           (call->kind == CALL_VALIDATE && call->value.definitions.missing_count) ||
           (call->kind == CALL_LIST_ACCESS && call->as.access_list.with_usage) ||
           (call->kind == CALL_GET_RUN && call->value.instances.run->has_workers) ||
           (call->kind == CALL_LIST_RUNS && call->value.runs.has_workers) ||
           (call->kind == CALL_SEARCH && call->as.search.token.n && !call->as.search.explains);
}

enum query_progress queries_part(struct query *query, struct call *call)
{
    must(call_has_tenant(call));
    bool more = false, large = call_description(call->kind)->large;
    /* A client may have closed its side and still wait, so what one part answers is answered. */
    if (call->is_long_ && call_may_stop(call) && call->abandoned)
        call->status = fail(&call->error, ST_INVALID, "", "the client has left");
    else if (large && budget_over(query->answers)) call->status = call_fail_unread(&call->error);
    else call->status = answer_part(query, call, &more, &call->error);
    if (call->status == ST_OK && more && !call->is_long_) call->status = admit_long(query, call);
    if (call->is_long_ && (call->status != ST_OK || !more)) leave_long(query, call);
    if (large) call_hold(call, query->answers);
    reader_bound(query->reader, 0);
    catalogue_trim(&query->catalogue);
    if (call->status == ST_OK && more) return QUERY_AGAIN;
    if (call->status == ST_OK && goes_on(call)) return QUERY_FOR_ENGINE;
    compile_release(call);
    return QUERY_ANSWERED;
}

bool queries_call(struct query *query, struct call *call)
{
    enum query_progress progress;
    do progress = queries_part(query, call);
    while (progress == QUERY_AGAIN);
    return progress == QUERY_FOR_ENGINE;
}
