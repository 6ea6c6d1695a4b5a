/* runtime/definitions/table_list.c — the decision tables of all definitions and drafts, by id.
 *
 * On the query thread, in parts. Ids of definitions and of drafts are two lists in the same order; a draft
 * counts instead of what is published under its id, because it is what somebody would edit. Tables stand in
 * documents of steps; which published ones have any, the facts remember.
 */
#include "base/array.h"
#include "dialect/dialect.h"
#include "json/put.h"
#include "runtime/call/sight.h"
#include "runtime/definitions/design.h"
#include "runtime/definitions/drafts.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"

struct table_listing {
    str after;       /* The id behind which the list goes on. */
    str draft;       /* The first draft behind it; empty: … */
    bool has_drafts; /* … nobody has looked, or there is none any more. */
    size_t looked_at, count;
    struct buf out;
};

/* The newest document of a definition id: its draft if there is one, else its latest version. */
struct table_source {
    str id, name;
    int32_t version;             /* 0: nothing is published. */
    const struct json *document; /* NULL: it has no tables. */
    bool is_draft;
};

/* ---- one table ---- */

/* The names of the columns in the order of the rules, as far as TABLE_COLUMNS_LISTED_MAX. */
static void put_columns(struct buf *out, const struct json *rules, str side)
{
    str name[TABLE_COLUMNS_LISTED_MAX];
    size_t count = 0;
    struct json_each rule = json_each(json_is(rules, JSON_ARRAY) ? rules : json_empty_array());
    while (json_next(&rule)) {
        const struct json *cells = json_get(rule.value, side);
        struct json_each cell = json_each(json_is(cells, JSON_OBJECT) ? cells : json_empty_object());
        while (count < TABLE_COLUMNS_LISTED_MAX && json_next(&cell)) {
            size_t i = 0;
            while (i < count && !str_equal(name[i], cell.name)) i++;
            if (i == count) name[count++] = cell.name;
        }
    }
    buf_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, name[i]);
    }
    buf_add_char(out, ']');
}

/* Problems of the step with this number. */
static int64_t problems_of(const struct problems *problems, size_t step, struct arena *arena)
{
    str pointer = problem_pointer_index(arena, STR("/steps"), step);
    int64_t count = 0;
    for (size_t i = 0; i < problems->count; i++) {
        str at = problems->problem[i].pointer;
        count += str_starts(at, pointer) && (at.n == pointer.n || at.p[pointer.n] == '/');
    }
    return count;
}

static void put_table(struct buf *out, const struct table_source *source, const struct json *step,
                      int64_t problems)
{
    const struct json *rules = json_get(json_get(step, STR("decisionTable")), STR("rules"));
    str policy = json_text(step, STR("hitPolicy")), title = json_text(step, STR("name"));
    PUT(out, "{\"definitionId\":");
    put_text(out, source->id);
    PUT(out, ",\"definitionName\":");
    put_text(out, source->name.n ? source->name : source->id);
    if (source->version) {
        PUT(out, ",\"version\":");
        put_int(out, source->version);
    }
    PUT(out, ",\"isDraft\":");
    put_flag(out, source->is_draft);
    PUT(out, ",\"stepId\":");
    put_text(out, json_text(step, STR("id")));
    PUT(out, ",\"title\":");
    put_text(out, title.n ? title : json_text(step, STR("id")));
    PUT(out, ",\"hitPolicy\":");
    put_text(out, policy.n ? policy : STR("U"));
    PUT(out, ",\"rules\":");
    put_int(out, json_is(rules, JSON_ARRAY) ? (int64_t)json_count(rules) : 0);
    PUT(out, ",\"conditions\":");
    put_columns(out, rules, STR("when"));
    PUT(out, ",\"results\":");
    put_columns(out, rules, STR("outputs"));
    PUT(out, ",\"problems\":");
    put_int(out, problems);
    buf_add_char(out, '}');
}

static bool is_table(const struct json *step)
{
    return json_is(step, JSON_OBJECT) && str_equal(json_text(step, STR("type")), STR("DECISION_TABLE"));
}

static bool has_tables(const struct json *document)
{
    const struct json *steps = json_is(document, JSON_OBJECT) ? json_get(document, STR("steps")) : NULL;
    struct json_each each = json_each(json_is(steps, JSON_ARRAY) ? steps : json_empty_array());
    while (json_next(&each))
        if (is_table(each.value)) return true;
    return false;
}

static void put_tables(struct table_listing *listing, const struct table_source *source,
                       struct arena *scratch)
{
    struct problems problems;
    problems_init(&problems, scratch);
    program_unref(dialect_compile(source->document, &problems, NULL));
    struct json_each each = json_each(json_get(source->document, STR("steps")));
    for (size_t i = 0; json_next(&each); i++) {
        if (!is_table(each.value)) continue;
        if (listing->count++) buf_add_char(&listing->out, ',');
        put_table(&listing->out, source, each.value, problems_of(&problems, i, scratch));
    }
}

/* ---- documents ---- */

static enum status read_draft(struct query *query, const struct call *call, str id, struct arena *scratch,
                              struct table_source *ret_source, struct error *err)
{
    struct record_row row;
    struct draft_view view;
    *ret_source = (struct table_source){ .id = id, .is_draft = true };
    TRY(found_needed(reader_find_record(query->reader, call->ns, RECORD_DRAFT, id, scratch, &row, err)));
    if (!draft_decode(&row, scratch, &view) || !has_tables(view.document)) return ST_OK;
    ret_source->document = view.document;
    ret_source->name = json_text(view.document, STR("name"));
    return ST_OK;
}

/* The document is read only if it has tables. */
static enum status read_published(struct query *query, const struct definition_row *row,
                                  struct arena *scratch, struct table_source *ret_source, bool *ret_slow,
                                  struct error *err)
{
    struct definition_row whole;
    const struct facts *facts;
    *ret_source = (struct table_source){ .id = row->id, .name = row->title, .version = row->version };
    if (!dialect_named(row->dialect)->has_steps) return ST_OK;
    *ret_slow = !facts_peek(&query->facts, row->number);
    TRY(found_needed(facts_get(&query->facts, query->reader, row->number, &facts, err)));
    if (!facts->tables) return ST_OK;
    *ret_slow = true;
    TRY(found_needed(reader_definition_by_number(query->reader, row->number, scratch, &whole, err)));
    TRY(json_parse(whole.source, NULL, scratch, &ret_source->document, err));
    if (!has_tables(ret_source->document)) ret_source->document = NULL;
    return ST_OK;
}

static bool is_asked(const struct call *call, const struct table_source *source)
{
    const struct definition_row row = { .id = source->id, .title = source->name };
    const struct sight sight = sight_of(call);
    return source->document && sight_has(&sight, source->id) &&
           store_definition_matches(&row, call->as.summaries.keyword);
}

/* ---- ids ---- */

/* Finds the first draft behind the place where the list is. */
static enum status find_draft(struct query *query, const struct call *call, struct table_listing *listing,
                              struct error *err)
{
    const struct record_filter filter = {
        .ns = call->ns, .kind = RECORD_DRAFT, .after = listing->after, .max = 1
    };
    struct record_row *row;
    struct arena scratch;
    size_t count = 0;
    if (listing->draft.n || !listing->has_drafts) return ST_OK;
    arena_init(&scratch, 0);
    enum status status = reader_records(query->reader, &filter, &scratch, &row, &count, err);
    if (status == ST_OK) {
        listing->has_drafts = count > 0;
        if (count) listing->draft = arena_str(call->arena, row->key);
    }
    arena_done(&scratch);
    return status;
}

/* Looks at the draft, the definition `row`, or both if they have the same id, whichever comes first. */
static enum status look_at(struct query *query, struct call *call, struct table_listing *listing,
                           const struct definition_row *row, bool *ret_used, bool *ret_slow,
                           struct error *err)
{
    struct table_source source;
    struct arena scratch;
    int order = !row ? -1 : !listing->draft.n ? 1 : str_compare(listing->draft, row->id);
    arena_init(&scratch, 0);
    enum status status = order > 0 ? read_published(query, row, &scratch, &source, ret_slow, err)
                                   : read_draft(query, call, listing->draft, &scratch, &source, err);
    if (!order) source.version = row->version;
    if (!order && !source.name.n) source.name = row->title;
    *ret_slow |= order <= 0;
    *ret_used = order >= 0;
    if (status == ST_OK && is_asked(call, &source)) put_tables(listing, &source, &scratch);
    listing->after = arena_str(call->arena, order > 0 ? row->id : listing->draft);
    listing->looked_at++;
    if (order <= 0) listing->draft = STR_NONE;
    arena_done(&scratch);
    return status;
}

/* ---- the call ---- */

static struct table_listing *begin(struct call *call)
{
    struct table_listing *listing = arena_make(call->arena, struct table_listing);
    listing->after = call->as.summaries.after;
    listing->has_drafts = true;
    buf_init(&listing->out, call->arena);
    PUT(&listing->out, "{\"items\":[");
    return listing;
}

static void answer(struct call *call, struct table_listing *listing, bool is_last)
{
    buf_add_char(&listing->out, ']');
    if (!is_last) {
        PUT(&listing->out, ",\"nextCursor\":");
        put_text(&listing->out, listing->after);
    }
    buf_add_char(&listing->out, '}');
    call->value.design.text = buf_str(&listing->out);
}

enum status table_list_call(struct query *query, struct call *call, bool *ret_more, struct error *err)
{
    struct table_listing *listing = call->value.design.listing;
    struct definition_row *row;
    size_t count = 0, i = 0;
    struct arena rows;
    bool is_slow = false, is_last = false, is_full = false;
    if (!listing) listing = call->value.design.listing = begin(call);
    arena_init(&rows, 0);
    enum status status = reader_definitions_after(query->reader, call->ns, listing->after, SUMMARIES_AT_ONCE,
                                                  &rows, &row, &count, err);
    while (status == ST_OK && !is_slow && !is_full) {
        bool used = false;
        status = find_draft(query, call, listing, err);
        is_last = i == count && count < SUMMARIES_AT_ONCE && !listing->draft.n;
        if (status != ST_OK || is_last || (i == count && count == SUMMARIES_AT_ONCE)) break;
        status = look_at(query, call, listing, i < count ? &row[i] : NULL, &used, &is_slow, err);
        i += used;
        is_full = listing->count >= call->as.summaries.max || listing->looked_at >= SUMMARIES_LOOKED_AT_MAX;
    }
    arena_done(&rows);
    *ret_more = status == ST_OK && !is_last && !is_full;
    if (status == ST_OK && !*ret_more) answer(call, listing, is_last);
    return status;
}
