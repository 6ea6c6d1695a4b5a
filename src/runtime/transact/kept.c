/* runtime/transact/kept.c — the records of events and arrivals whose key no instance has yet. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"

enum { MAIN = 'm', EXPIRY = 'x', COUNT_OF = 'c', DUE = 'd', NUMBER_BYTES = 8, MS_BITS = 20 };

/* ---- keys ---- */

static void add_number(struct buf *key, uint64_t number)
{
    for (int i = 0; i < NUMBER_BYTES; i++) buf_add_char(key, (char)(number >> (56 - 8 * i)));
}

static struct record_row row_of(struct buf *key)
{
    return (struct record_row){ .ns = NAMESPACE_DEFAULT, .kind = RECORD_EARLY, .key = buf_str(key) };
}

static void begin_key(struct turn *turn, char tag, struct buf *key)
{
    buf_init(key, &turn->arena);
    buf_add_char(key, tag);
}

static str prefix_of(struct turn *turn, int32_t ns, str definition_id, enum kept_kind kind, str key)
{
    struct buf prefix;
    begin_key(turn, MAIN, &prefix);
    buf_add_str(&prefix, tenant_key(ns, definition_id, &turn->arena));
    buf_add_char(&prefix, '\0');
    buf_add_char(&prefix, (char)kind);
    buf_add_char(&prefix, (char)(key.n >> 8));
    buf_add_char(&prefix, (char)key.n);
    buf_add_str(&prefix, key);
    return buf_str(&prefix);
}

static struct record_row main_row(struct turn *turn, const struct kept *kept)
{
    struct buf key;
    buf_init(&key, &turn->arena);
    buf_add_str(&key, prefix_of(turn, kept->ns, kept->definition_id, kept->kind, kept->key));
    add_number(&key, kept->number);
    return row_of(&key);
}

static struct record_row expiry_row(struct turn *turn, const struct kept *kept)
{
    struct buf key;
    begin_key(turn, EXPIRY, &key);
    add_number(&key, (uint64_t)kept->until_ms);
    add_number(&key, kept->number);
    struct record_row row = row_of(&key);
    row.value = kept->record;
    return row;
}

/* ---- how many a definition has ---- */

static struct record_row count_row(struct turn *turn, const struct kept *kept)
{
    struct buf key;
    begin_key(turn, COUNT_OF, &key);
    buf_add_str(&key, tenant_key(kept->ns, kept->definition_id, &turn->arena));
    return row_of(&key);
}

static enum status read_count(struct turn *turn, const struct kept *kept, int64_t *ret_count,
                              int64_t *ret_bytes, struct error *err)
{
    struct record_row row = count_row(turn, kept);
    bool is_there;
    *ret_count = *ret_bytes = 0;
    TRY(found_asked(
        store_find_record(turn->engine->store, row.ns, row.kind, row.key, &turn->arena, &row, err),
        &is_there));
    if (!is_there) return ST_OK;
    size_t space = str_find(row.value, STR(" "), 0);
    if (space == SIZE_MAX || !str_to_int64(str_slice(row.value, 0, space), ret_count) ||
        !str_to_int64(str_slice(row.value, space + 1, row.value.n), ret_bytes))
        return fail(err, ST_INTERNAL, "early", "the number of kept events cannot be read");
    return ST_OK;
}

/* ---- keeping ---- */

/* A refusal is a sentence that names the limit. */
static enum status has_room(struct turn *turn, const struct kept *kept, int64_t count, int64_t bytes,
                            str *ret_refusal, struct error *err)
{
    *ret_refusal = STR_NONE;
    if (count >= KEPT_PER_DEFINITION_MAX)
        *ret_refusal = arena_printf(&turn->arena,
                                    "%d wait for instances of \"%.*s\" already, the most allowed "
                                    "(KEPT_PER_DEFINITION_MAX)",
                                    KEPT_PER_DEFINITION_MAX, STR_ARG(kept->definition_id));
    else if (bytes + (int64_t)kept->bytes > KEPT_BYTES_PER_DEFINITION_MAX)
        *ret_refusal = arena_printf(&turn->arena,
                                    "those that wait for instances of \"%.*s\" would take more than %d bytes "
                                    "(KEPT_BYTES_PER_DEFINITION_MAX)",
                                    STR_ARG(kept->definition_id), KEPT_BYTES_PER_DEFINITION_MAX);
    if (ret_refusal->n) return ST_OK;
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_EARLY,
                                          .prefix = prefix_of(turn, kept->ns, kept->definition_id, kept->kind,
                                                              kept->key),
                                          .skip = KEPT_PER_KEY_MAX - 1,
                                          .max = 1 };
    struct record_row *row;
    size_t found;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &found, err));
    if (found)
        *ret_refusal = arena_printf(&turn->arena,
                                    "%d wait for an instance with this key already, the most allowed "
                                    "(KEPT_PER_KEY_MAX)",
                                    KEPT_PER_KEY_MAX);
    return ST_OK;
}

/* Numbers ascend with the time. Another node may have given the same one. */
static enum status find_number(struct turn *turn, struct kept *kept, struct error *err)
{
    struct kept_memory *memory = &turn->engine->transact.kept;
    uint64_t least = (uint64_t)turn->now_ms << MS_BITS;
    bool is_there = true;
    for (kept->number = memory->number >= least ? memory->number : least; is_there;) {
        struct record_row found;
        kept->number++;
        kept->record = main_row(turn, kept).key;
        TRY(found_asked(store_find_record(turn->engine->store, NAMESPACE_DEFAULT, RECORD_EARLY, kept->record,
                                          &turn->arena, &found, err),
                        &is_there));
        if (is_there) continue;
        str expiry = expiry_row(turn, kept).key;
        TRY(found_asked(store_find_record(turn->engine->store, NAMESPACE_DEFAULT, RECORD_EARLY, expiry,
                                          &turn->arena, &found, err),
                        &is_there));
    }
    memory->number = kept->number;
    return ST_OK;
}

static str encode(struct turn *turn, const struct kept *kept)
{
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("ns"));
    json_add_int(&builder, kept->ns);
    json_add_name(&builder, STR("definition"));
    json_add_string(&builder, kept->definition_id);
    json_add_name(&builder, STR("kind"));
    json_add_int(&builder, kept->kind);
    json_add_name(&builder, STR("key"));
    json_add_string(&builder, kept->key);
    json_add_name(&builder, STR("until"));
    json_add_int(&builder, kept->until_ms);
    json_add_name(&builder, STR("value"));
    json_add(&builder, kept->value);
    if (kept->seen) {
        json_add_name(&builder, STR("seen"));
        json_add(&builder, kept->seen);
    }
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static str print_count(struct turn *turn, int64_t count, int64_t bytes)
{
    return arena_printf(&turn->arena, "%lld %lld", (long long)count, (long long)bytes);
}

enum status kept_add(struct turn *turn, struct kept *kept, str *ret_refusal, struct error *err)
{
    must(kept->key.n && kept->until_ms > turn->now_ms);
    struct kept_memory *memory = &turn->engine->transact.kept;
    int64_t count, bytes;
    kept->bytes = json_bytes(kept->value);
    TRY(read_count(turn, kept, &count, &bytes, err));
    TRY(has_room(turn, kept, count, bytes, ret_refusal, err));
    if (ret_refusal->n) return ST_OK;
    TRY(find_number(turn, kept, err));
    struct record_row row[] = { main_row(turn, kept), expiry_row(turn, kept), count_row(turn, kept) };
    row[0].value = encode(turn, kept);
    row[2].value = print_count(turn, count + 1, bytes + (int64_t)kept->bytes);
    struct changeset changeset = { .record_put = row, .record_put_count = COUNT(row) };
    memory->any = true;
    if (memory->next_ms > kept->until_ms) memory->next_ms = kept->until_ms;
    turn->counts.kept++;
    return transact_rows(turn, &changeset, err);
}

/* ---- instances that get a key ---- */

static bool gets_correlation(const struct instance *before, const struct instance *after)
{
    return after->correlation.n && instance_takes_mail(after) &&
           (!before || !instance_takes_mail(before) || !str_equal(before->correlation, after->correlation));
}

static bool gets_business_key(const struct instance *before, const struct instance *after)
{
    return after->business_key.n && lives(after) && !(before && lives(before));
}

static enum status has_any(struct turn *turn, const struct definition *definition, enum kept_kind kind,
                           str key, bool *ret_has, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_EARLY,
                                          .prefix =
                                              prefix_of(turn, definition->ns, definition->id, kind, key),
                                          .max = 1 };
    struct record_row *row;
    size_t count;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    *ret_has |= count > 0;
    return ST_OK;
}

enum status kept_note(struct turn *turn, const struct definition *definition, const struct instance *before,
                      const struct instance *after, struct error *err)
{
    const struct engine *engine = turn->engine;
    const struct program *program = definition->program;
    bool has = false;
    if (!engine->transact.kept.any && !engine->nodes.shared) return ST_OK;
    if (after->is_test || (!program->trigger_count && !program->rules->arrival_count)) return ST_OK;
    if (program->trigger_count && gets_correlation(before, after))
        TRY(has_any(turn, definition, KEPT_EVENT, after->correlation, &has, err));
    if (program->rules->arrival_count && gets_business_key(before, after))
        TRY(has_any(turn, definition, KEPT_ARRIVAL, after->business_key, &has, err));
    if (!has) return ST_OK;
    struct buf key;
    begin_key(turn, DUE, &key);
    add_number(&key, after->id);
    const struct record_row row = row_of(&key);
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    turn->engine->transact.backlog[BACKLOG_EARLY].due = true;
    return transact_rows(turn, &changeset, err);
}

/* ---- reading and removing ---- */

static bool decode(const struct record_row *row, struct arena *arena, struct kept *ret_kept)
{
    const struct json *object = json_decode(row->value, arena);
    if (!json_is(object, JSON_OBJECT) || row->key.n < NUMBER_BYTES) return false;
    *ret_kept = (struct kept){ .ns = (int32_t)json_integer(object, STR("ns")),
                               .definition_id = json_text(object, STR("definition")),
                               .kind = (enum kept_kind)json_integer(object, STR("kind")),
                               .key = json_text(object, STR("key")),
                               .until_ms = json_integer(object, STR("until")),
                               .value = json_get(object, STR("value")),
                               .seen = json_get(object, STR("seen")),
                               .number = index_record_instance_of(row->key),
                               .record = row->key };
    bool known = ret_kept->kind == KEPT_EVENT || ret_kept->kind == KEPT_ARRIVAL;
    if (!known || !ret_kept->number || !json_is(ret_kept->value, JSON_OBJECT) || !ret_kept->key.n)
        return false;
    ret_kept->bytes = json_bytes(ret_kept->value);
    return true;
}

struct found kept_first(struct turn *turn, int32_t ns, str definition_id, enum kept_kind kind, str key,
                        str after, struct kept *ret_kept, struct error *err)
{
    must(key.n && ns > TENANT_ANY);
    struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                    .kind = RECORD_EARLY,
                                    .prefix = prefix_of(turn, ns, definition_id, kind, key),
                                    .after = after,
                                    .max = 1 };
    for (;;) {
        struct record_row *row;
        size_t count;
        TRY_FOUND(found_of(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err)));
        if (!count) return found_of(fail(err, ST_NOT_FOUND, "early", "nothing is kept for the key"));
        if (decode(row, &turn->arena, ret_kept)) return found_of(ST_OK);
        filter.after = row->key; /* It is damaged: the others go on. */
    }
}

struct found kept_find(struct turn *turn, const struct record_row *expiry, struct kept *ret_kept,
                       struct error *err)
{
    struct record_row row;
    TRY_FOUND(store_find_record(turn->engine->store, NAMESPACE_DEFAULT, RECORD_EARLY, expiry->value,
                                &turn->arena, &row, err));
    if (decode(&row, &turn->arena, ret_kept)) return found_of(ST_OK);
    return found_of(fail(err, ST_NOT_FOUND, "early", "a kept event cannot be read"));
}

enum status kept_of_definition(struct turn *turn, int32_t ns, str definition_id, struct record_row *ret_row,
                               struct kept *ret_kept, bool *ret_there, bool *ret_intact, struct error *err)
{
    struct buf prefix;
    struct record_row *row;
    size_t count;
    begin_key(turn, MAIN, &prefix);
    buf_add_str(&prefix, tenant_key(ns, definition_id, &turn->arena));
    buf_add_char(&prefix, '\0');
    const struct record_filter filter = {
        .ns = NAMESPACE_DEFAULT, .kind = RECORD_EARLY, .prefix = buf_str(&prefix), .max = 1
    };
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    *ret_there = count > 0;
    if (!count) return ST_OK;
    *ret_row = *row;
    *ret_intact = decode(row, &turn->arena, ret_kept);
    return ST_OK;
}

enum status kept_remove_row(struct turn *turn, const struct record_row *row, struct error *err)
{
    struct changeset changeset = { .record_remove = row, .record_remove_count = 1 };
    return transact_rows(turn, &changeset, err);
}

enum status kept_remove(struct turn *turn, const struct kept *kept, struct error *err)
{
    must(kept->record.n && kept->number);
    int64_t count, bytes;
    TRY(read_count(turn, kept, &count, &bytes, err));
    struct record_row left = count_row(turn, kept),
                      gone[] = { row_of(&(struct buf){ 0 }), expiry_row(turn, kept), left };
    gone[0].key = kept->record;
    left.value = print_count(turn, count - 1, bytes - (int64_t)kept->bytes);
    bool last = count <= 1;
    struct changeset changeset = { .record_remove = gone,
                                   .record_remove_count = last ? 3 : 2,
                                   .record_put = &left,
                                   .record_put_count = last ? 0 : 1 };
    return transact_rows(turn, &changeset, err);
}

/* The other records of what is gone go when they are due. */
enum status kept_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err)
{
    static const char tags[] = { MAIN, COUNT_OF };
    *ret_count = 0;
    for (size_t i = 0; i < COUNT(tags) && !*ret_count; i++) {
        struct buf prefix;
        struct record_row *row;
        begin_key(turn, tags[i], &prefix);
        buf_add_str(&prefix, tenant_qualify(ns, STR_NONE, &turn->arena));
        const struct record_filter filter = {
            .ns = NAMESPACE_DEFAULT, .kind = RECORD_EARLY, .prefix = buf_str(&prefix), .max = max
        };
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, ret_count, err));
        struct changeset changeset = { .record_remove = row, .record_remove_count = *ret_count };
        if (*ret_count) TRY(transact_rows(turn, &changeset, err));
    }
    return ST_OK;
}

/* ---- those that wait, for people ---- */

/* Behind all qualified names: the names of the default tenant have no mark. */
static struct record_filter filter_of(int32_t ns, struct arena *arena)
{
    static const char plain[] = { MAIN, TENANT_MARK + 1 };
    struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_EARLY, .max = 8 };
    struct buf prefix;
    buf_init(&prefix, arena);
    buf_add_char(&prefix, MAIN);
    if (ns != TENANT_DEFAULT) buf_add_str(&prefix, tenant_qualify(ns, STR_NONE, arena));
    else filter.after = (str){ plain, sizeof plain };
    filter.prefix = buf_str(&prefix);
    return filter;
}

/* The next place to read: behind an event, or behind all arrivals of a definition, before its events. */
static str behind(str key, struct arena *arena)
{
    size_t kind = str_find(key, (str){ "\0", 1 }, 0) + 1;
    struct buf after;
    if (kind >= key.n || key.p[kind] != KEPT_ARRIVAL) return arena_str(arena, key);
    buf_init(&after, arena);
    buf_add_str(&after, str_slice(key, 0, kind));
    buf_add_char(&after, KEPT_ARRIVAL + 1);
    return buf_str(&after);
}

static struct waiting_view view_of(const struct kept *kept, struct arena *arena)
{
    return (struct waiting_view){ .definition_id = arena_str(arena, kept->definition_id),
                                  .id = arena_str(arena, json_text(kept->value, STR("id"))),
                                  .source = arena_str(arena, json_text(kept->value, STR("source"))),
                                  .type = arena_str(arena, json_text(kept->value, STR("type"))),
                                  .received_ms = (int64_t)(kept->number >> MS_BITS),
                                  .until_ms = kept->until_ms };
}

enum status kept_list(struct store_reader *reader, int32_t ns, size_t bytes_max, struct arena *arena,
                      struct waiting_view **ret_view, size_t *ret_count, bool *ret_more, struct error *err)
{
    struct record_filter filter = filter_of(ns, arena);
    struct waiting_view *view = arena_make_n(arena, struct waiting_view, KEPT_LISTED_MAX);
    size_t count = filter.max, found = 0, bytes = 0;
    enum status status = ST_OK;
    struct arena scratch;
    *ret_more = false;
    arena_init(&scratch, 0);
    while (count == filter.max && !*ret_more) {
        struct record_row *row;
        status = reader_records(reader, &filter, &scratch, &row, &count, err);
        if (status != ST_OK) break;
        for (size_t i = 0; i < count && !*ret_more; i++) {
            struct kept kept;
            bytes += row[i].value.n;
            if (!decode(&row[i], &scratch, &kept) || kept.kind != KEPT_EVENT) continue;
            *ret_more = found == KEPT_LISTED_MAX || (found && bytes > bytes_max);
            if (!*ret_more) view[found++] = view_of(&kept, arena);
        }
        if (count) filter.after = behind(row[count - 1].key, arena);
        arena_reset(&scratch);
    }
    arena_done(&scratch);
    *ret_view = view;
    *ret_count = found;
    return status;
}

/* ---- rows that are due ---- */

bool kept_row_expires(const struct record_row *row) { return row->key.n && row->key.p[0] == EXPIRY; }

static struct record_filter rows_of(const char *tag)
{
    return (struct record_filter){ .ns = NAMESPACE_DEFAULT, .kind = RECORD_EARLY, .prefix = { tag, 1 } };
}

/* The first expiry that is not due. */
static str end_of_due(int64_t now_ms, struct arena *arena)
{
    struct buf now;
    buf_init(&now, arena);
    buf_add_char(&now, EXPIRY);
    add_number(&now, (uint64_t)now_ms + 1);
    return buf_str(&now);
}

size_t kept_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter)
{
    static const char due = DUE, expiry = EXPIRY;
    ret_filter[0] = rows_of(&due);
    ret_filter[1] = rows_of(&expiry);
    ret_filter[1].upto = end_of_due(engine->turn.now_ms, arena);
    return 2;
}

static enum status read_rows(struct turn *turn, char tag, str after, str upto, size_t max,
                             struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    struct record_filter filter = rows_of(&tag);
    filter.after = after;
    filter.upto = upto;
    filter.max = max;
    return store_records(turn->engine->store, &filter, &turn->arena, ret_row, ret_count, err);
}

enum status kept_rows(struct turn *turn, str after, size_t max, struct record_row **ret_row,
                      size_t *ret_count, struct error *err)
{
    must(max > 0);
    *ret_count = 0;
    if (!after.n || after.p[0] == DUE)
        TRY(read_rows(turn, DUE, after, STR_NONE, max, ret_row, ret_count, err));
    if (*ret_count) return ST_OK;
    after = after.n && after.p[0] == EXPIRY ? after : STR_NONE;
    return read_rows(turn, EXPIRY, after, end_of_due(turn->now_ms, &turn->arena), max, ret_row, ret_count,
                     err);
}

enum status kept_look_ahead(struct turn *turn, struct error *err)
{
    struct kept_memory *memory = &turn->engine->transact.kept;
    struct record_row *row;
    size_t count;
    TRY(read_rows(turn, EXPIRY, STR_NONE, STR_NONE, 1, &row, &count, err));
    memory->any = count > 0;
    memory->next_ms =
        count ? (int64_t)index_record_instance_of(str_slice(row->key, 0, 1 + NUMBER_BYTES)) : INT64_MAX;
    return ST_OK;
}
