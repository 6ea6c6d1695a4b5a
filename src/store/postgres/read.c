/* store/postgres/read.c — lists of instances, children, unmatched events and definitions.
 *
 * A list that asks more than once does so in a transaction, so that a page and its total show the same
 * moment. Answers are cut on the server (sql_read.h), because libpq keeps a whole result in memory.
 */
#include "store/postgres/read_int.h"

/* Definitions that are fetched at once, where all must be looked at. */
enum { DEFINITIONS_PIECE = 500 };

enum status postgres_ask_number(struct postgres_db *db, enum postgres_sql sql,
                                const struct postgres_params *params, int64_t *ret_number, struct error *err)
{
    PGresult *result;
    TRY(postgres_ask(db, sql, params, &result, err));
    *ret_number = libpq.ntuples(result) ? postgres_number(result, 0, 0) : 0;
    libpq.clear(result);
    return ST_OK;
}

/* ---- instances ---- */

enum status postgres_take_instances(PGresult *result, struct arena *arena, struct instance_row **ret_row,
                                    size_t *ret_count, struct error *err)
{
    int count = libpq.ntuples(result);
    struct instance_row *row = arena_make_n(arena, struct instance_row, (size_t)count);
    enum status status = ST_OK;
    for (int i = 0; i < count && status == ST_OK; i++)
        status = postgres_instance_row(result, i, true, arena, &row[i], err);
    libpq.clear(result);
    *ret_row = row;
    *ret_count = (size_t)count;
    return status;
}

static bool by_key(const struct instance_filter *filter) { return filter->business_key.n > 0; }
static bool by_place(const struct instance_filter *filter)
{
    return filter->definition_id.n || filter->status >= 0;
}

static struct postgres_places places_of(const struct instance_filter *filter)
{
    return (struct postgres_places){ .ns = filter->ns,
                                     .phases = postgres_phases_of(filter->status),
                                     .definition_id = filter->definition_id };
}

static void add_key_filter(struct postgres_params *params, const struct instance_filter *filter)
{
    postgres_add_number(params, filter->ns);
    postgres_add_slots(params, postgres_phases_of(filter->status), false);
    postgres_add_bytes(params, filter->business_key);
    postgres_add_optional(params, filter->definition_id);
}

/* Each place gives as many as are skipped and wanted, and of them all the wanted ones come. */
static void add_page(struct postgres_params *params, const struct instance_filter *filter, bool spread)
{
    size_t skip = filter->skip > 0 ? (size_t)filter->skip : 0;
    postgres_add_before(params, filter->before);
    if (spread) postgres_add_number(params, postgres_limit(filter->max) + postgres_limit(skip));
    postgres_add_limit(params, filter->max);
    postgres_add_limit(params, skip);
}

static enum status list_instances(struct postgres_db *db, const struct instance_filter *filter,
                                  size_t bytes_max, struct arena *arena, struct instance_row **ret_row,
                                  size_t *ret_count, struct error *err)
{
    struct postgres_params params = { 0 };
    enum postgres_sql sql = SQL_INSTANCES_ALL;
    bool one = filter->definition_id.n;
    if (by_key(filter)) {
        sql = one ? SQL_INSTANCES_KEY_OF : SQL_INSTANCES_KEY;
        add_key_filter(&params, filter);
    } else if (by_place(filter)) {
        struct postgres_places places = places_of(filter);
        sql = one ? SQL_INSTANCES_PLACE_OF : SQL_INSTANCES_PLACE;
        postgres_add_places(&params, &places);
    } else postgres_add_number(&params, filter->ns);
    add_page(&params, filter, sql != SQL_INSTANCES_ALL);
    postgres_add_bound(&params, bytes_max);
    PGresult *result;
    TRY(postgres_ask(db, sql, &params, &result, err));
    return postgres_take_instances(result, arena, ret_row, ret_count, err);
}

static enum status count_instances(struct postgres_db *db, const struct instance_filter *filter,
                                   int64_t *ret_total, struct error *err)
{
    if (by_key(filter)) {
        struct postgres_params params = { 0 };
        add_key_filter(&params, filter);
        return postgres_ask_number(
            db, filter->definition_id.n ? SQL_INSTANCES_KEY_OF_TOTAL : SQL_INSTANCES_KEY_TOTAL, &params,
            ret_total, err);
    }
    struct postgres_places places = places_of(filter);
    struct store_counts counts = { 0 };
    TRY(postgres_count_places(db, &places, &counts, err));
    *ret_total = 0;
    for (size_t i = 0; i < STORE_PHASES; i++) *ret_total += counts.phase[i];
    return ST_OK;
}

enum status postgres_read_instances(struct store_reader *reader, const struct instance_filter *filter,
                                    struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                    int64_t *ret_total, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    size_t bytes_max = reader->bytes_max;
    if (!ret_total) return list_instances(db, filter, bytes_max, arena, ret_row, ret_count, err);
    TRY(postgres_begin_read(db, err));
    enum status status = count_instances(db, filter, ret_total, err);
    if (status == ST_OK) status = list_instances(db, filter, bytes_max, arena, ret_row, ret_count, err);
    return postgres_end_read(db, status, err);
}

/* ---- children ---- */

static enum status child_row(const PGresult *result, int row, uint64_t parent, struct arena *arena,
                             struct child_listed *ret_view, struct error *err)
{
    TRY(postgres_instance_row(result, row, false, arena, &ret_view->instance, err));
    ret_view->child = (struct child_row){ .parent = parent,
                                          .number = (uint32_t)postgres_number(result, row, 13),
                                          .instance = ret_view->instance.id };
    postgres_set_bond(&ret_view->child, postgres_number(result, row, 14));
    return ST_OK;
}

/* They come from the last one back. */
static enum status list_children(struct postgres_db *db, uint64_t parent, size_t max, struct arena *arena,
                                 struct child_listed **ret_view, size_t *ret_count, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_id(&params, parent);
    postgres_add_limit(&params, max);
    TRY(postgres_ask(db, SQL_CHILDREN_OF, &params, &result, err));
    int count = libpq.ntuples(result);
    struct child_listed *view = arena_make_n(arena, struct child_listed, (size_t)count);
    enum status status = ST_OK;
    for (int i = 0; i < count && status == ST_OK; i++)
        status = child_row(result, i, parent, arena, &view[count - 1 - i], err);
    libpq.clear(result);
    *ret_view = view;
    *ret_count = (size_t)count;
    return status;
}

enum status postgres_read_children(struct store_reader *reader, uint64_t parent, size_t max,
                                   struct arena *arena, struct child_listed **ret_view, size_t *ret_count,
                                   int64_t *ret_total, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    struct postgres_params params = { 0 };
    postgres_add_id(&params, parent);
    TRY(postgres_begin_read(db, err));
    enum status status = postgres_ask_number(db, SQL_CHILDREN_COUNT, &params, ret_total, err);
    if (status == ST_OK) status = list_children(db, parent, max, arena, ret_view, ret_count, err);
    return postgres_end_read(db, status, err);
}

/* ---- unmatched events ---- */

static enum status list_unmatched(struct postgres_db *db, int32_t ns, int64_t before, size_t max,
                                  size_t bytes_max, struct arena *arena, struct unmatched_row **ret_row,
                                  size_t *ret_count, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_number(&params, ns);
    postgres_add_number(&params, before ? before : INT64_MAX);
    postgres_add_limit(&params, max);
    postgres_add_bound(&params, bytes_max);
    TRY(postgres_ask(db, SQL_UNMATCHED_LIST, &params, &result, err));
    int count = libpq.ntuples(result);
    struct unmatched_row *row = arena_make_n(arena, struct unmatched_row, (size_t)count);
    for (int i = 0; i < count; i++) row[i] = postgres_unmatched_row(result, i, arena);
    libpq.clear(result);
    *ret_row = row;
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_read_unmatched(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                    struct arena *arena, struct unmatched_row **ret_row, size_t *ret_count,
                                    int64_t *ret_total, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    size_t bytes_max = reader->bytes_max;
    if (!ret_total) return list_unmatched(db, ns, before, max, bytes_max, arena, ret_row, ret_count, err);
    struct postgres_params params = { 0 };
    postgres_add_number(&params, ns);
    TRY(postgres_begin_read(db, err));
    enum status status = list_unmatched(db, ns, before, max, bytes_max, arena, ret_row, ret_count, err);
    if (status == ST_OK) status = postgres_ask_number(db, SQL_UNMATCHED_TOTAL, &params, ret_total, err);
    return postgres_end_read(db, status, err);
}

/* ---- definitions ---- */

static enum status ask_definitions(struct postgres_db *db, int32_t ns, str after, size_t max,
                                   PGresult **ret_result, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, after);
    postgres_add_limit(&params, max);
    return postgres_ask(db, SQL_DEFINITIONS_AFTER, &params, ret_result, err);
}

enum status postgres_read_definitions_after(struct store_reader *reader, int32_t ns, str after, size_t max,
                                            struct arena *arena, struct definition_row **ret_row,
                                            size_t *ret_count, struct error *err)
{
    PGresult *result;
    TRY(ask_definitions(postgres_reader_db(reader), ns, after, max, &result, err));
    int count = libpq.ntuples(result);
    struct definition_row *row = arena_make_n(arena, struct definition_row, (size_t)count);
    for (int i = 0; i < count; i++) postgres_definition_row(result, i, false, arena, &row[i]);
    libpq.clear(result);
    *ret_row = row;
    *ret_count = (size_t)count;
    return ST_OK;
}

/* A page of the definitions that have a keyword. */
struct keyword_page {
    str keyword;
    int64_t skip, total;
    size_t max;
    struct arena *arena;
    struct definition_row *row;
    size_t count, cap;
};

/* Only what is listed is copied. */
static void look_at_definition(struct keyword_page *page, const PGresult *result, int row)
{
    struct definition_row head = { .id = postgres_borrowed(result, row, 2),
                                   .title = postgres_borrowed(result, row, 5) };
    if (!store_definition_matches(&head, page->keyword)) return;
    if (page->total++ < page->skip || page->count == page->max) return;
    array_reserve_in(page->arena, page->row, page->count, page->cap);
    postgres_definition_row(result, row, false, page->arena, &page->row[page->count++]);
}

static enum status look_at_definitions(struct postgres_db *db, int32_t ns, struct keyword_page *page,
                                       struct error *err)
{
    str after = STR_NONE;
    for (int count = DEFINITIONS_PIECE; count == DEFINITIONS_PIECE;) {
        PGresult *result;
        TRY(ask_definitions(db, ns, after, DEFINITIONS_PIECE, &result, err));
        count = libpq.ntuples(result);
        for (int i = 0; i < count; i++) look_at_definition(page, result, i);
        if (count) after = postgres_bytes(result, count - 1, 2, page->arena);
        libpq.clear(result);
    }
    return ST_OK;
}

enum status postgres_read_definitions(struct store_reader *reader, int32_t ns, str keyword, int64_t skip,
                                      size_t max, struct arena *arena, struct definition_row **ret_row,
                                      size_t *ret_count, int64_t *ret_total, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    struct keyword_page page = { .keyword = keyword, .skip = skip, .max = max, .arena = arena };
    TRY(postgres_begin_read(db, err));
    TRY(postgres_end_read(db, look_at_definitions(db, ns, &page, err), err));
    *ret_row = page.row;
    *ret_count = page.count;
    if (ret_total) *ret_total = page.total;
    return ST_OK;
}
