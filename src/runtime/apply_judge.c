/* runtime/apply_judge.c — a dry run of an APPLY: what would become of each definition. */
#include "runtime/runtime_int.h"

#include "dialect/dialect.h"
#include "json/changes.h"
#include "json/json.h"
#include "json/put.h"
#include "runtime/call/call.h"
#include "runtime/definitions/definitions.h"
#include "runtime/entities/entities.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"
#include "runtime/operate/operate.h"

/* ---- runs ---- */

static enum status count_of_version(struct query *query, const struct apply_item *item, int32_t version,
                                    int64_t *ret_count, struct error *err)
{
    const struct find_filter filter = { .ns = item->call->ns, .definition_id = item->id, .version = version };
    struct store_counts counts;
    TRY(reader_counts(query->reader, &filter, &counts, err));
    const struct operate_living living = operate_living(&counts);
    *ret_count = living.running + living.waiting + living.person;
    return ST_OK;
}

/* From the newest version on, until all are found or enough versions were looked at. */
static enum status count_runs(struct query *query, const struct call_apply *asked, struct apply_item *item,
                              struct error *err)
{
    int64_t left, count;
    TRY(count_of_version(query, item, 0, &item->living, err));
    if (!asked->has_changes) return ST_OK;
    left = item->living;
    item->runs = arena_make_n(item->call->arena, struct apply_runs, APPLY_VERSIONS_MAX);
    for (int32_t i = 0; i < APPLY_VERSIONS_MAX && i < item->before && left > 0; i++) {
        int32_t version = item->before - i;
        TRY(count_of_version(query, item, version, &count, err));
        if (count) item->runs[item->run_count++] = (struct apply_runs){ version, count };
        left -= count;
    }
    return ST_OK;
}

/* ---- differences ---- */

/* The same values in another order: only the order of members can differ. */
static void put_member_order(struct buf *out) { PUT(out, "[{\"path\":\"\",\"change\":\"order\"}]"); }

/* `of_model` has what would change in the model of a document, each with a comma before it. */
static void tell_changes(struct call_apply *asked, struct apply_item *item,
                         const struct definition_row *latest, str of_model, struct arena *scratch)
{
    const struct json_limits limits = { SIZE_MAX, JSON_DEPTH_MAX };
    struct call *part = item->call;
    const struct json *stored;
    struct buf out;
    if (asked->changes_bytes >= APPLY_CHANGES_BYTES_MAX) {
        item->changes_cut = true;
        return;
    }
    if (json_parse(latest->source, &limits, scratch, &stored, NULL) != ST_OK) return;
    buf_init(&out, part->arena);
    struct json_changes changes = { .out = &out,
                                    .count_max = APPLY_CHANGES_MAX,
                                    .bytes_max = APPLY_CHANGES_BYTES_MAX - asked->changes_bytes };
    if (!dialect_named(latest->dialect)->version_is_content) changes.skip = STR("version");
    changes_tell(&changes, stored, part->document_, scratch);
    if (of_model.n) {
        out.n--;
        buf_add_str(&out, out.n > 1 ? of_model : str_slice(of_model, 1, of_model.n));
        buf_add_char(&out, ']');
    } else if (out.n == sizeof "[]" - 1) {
        out.n = 0;
        put_member_order(&out);
    }
    item->changes = buf_str(&out);
    item->changes_cut = changes.is_cut;
    asked->changes_bytes += out.n;
}

/* ---- verdicts ---- */

static enum status judge_document(struct query *query, struct call_apply *asked, struct apply_item *item,
                                  const struct definition_row *latest, struct arena *scratch,
                                  struct error *err)
{
    struct call *part = item->call;
    struct buf of_model;
    buf_init(&of_model, scratch);
    if (part->as.deploy.import) TRY(import_judge(query->reader, part, scratch, &of_model, err));
    if (!latest) return ST_OK;
    bool has_content = deploy_has_content(latest, part, scratch);
    if (!has_content) item->verdict = APPLY_CHANGED;
    else item->verdict = latest->retired_ms ? APPLY_RESTORED : APPLY_UNCHANGED;
    if (item->verdict == APPLY_UNCHANGED && part->as.deploy.import && part->as.deploy.import->changes)
        item->verdict = APPLY_CHANGED;
    if (item->verdict == APPLY_CHANGED && asked->has_changes)
        tell_changes(asked, item, latest, buf_str(&of_model), scratch);
    return ST_OK;
}

static enum status judge(struct query *query, struct call_apply *asked, struct apply_item *item,
                         struct arena *scratch, struct error *err)
{
    struct call *part = item->call;
    struct definition_row latest;
    bool is_there, retires = part->kind == CALL_RETIRE;
    str id = item->id;
    TRY(found_asked(reader_definition(query->reader, part->ns, id, 0, scratch, &latest, err), &is_there));
    if (!is_there && retires)
        return fail(err, ST_NOT_FOUND, "prune", "definition \"%.*s\" not found", STR_ARG(id));
    item->verdict = APPLY_NEW;
    if (is_there) item->before = latest.version;
    if (retires) item->verdict = latest.retired_ms ? APPLY_UNCHANGED : APPLY_RETIRED;
    else TRY(judge_document(query, asked, item, is_there ? &latest : NULL, scratch, err));
    return !is_there || item->verdict == APPLY_UNCHANGED ? ST_OK : count_runs(query, asked, item, err);
}

enum status apply_judge(struct query *query, struct call_apply *asked, struct apply_item *item,
                        struct error *err)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    enum status status = judge(query, asked, item, &scratch, err);
    arena_done(&scratch);
    return status;
}
