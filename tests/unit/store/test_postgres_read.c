/* Readers on PostgreSQL: they answer what the memory store answers, whatever is asked; long answers come in
 * pieces; a rare row is found by its index; a lost connection is made again. */
#include "postgres_server.h"

#include "core/task.h"
#include "store/postgres/read_int.h"

/* ---- the same as in memory ---- */

enum { DEFINITIONS = 24, IDS = 5, INSTANCES = 300, ROUNDS = 60 };

static uint64_t seed = 88172645463325252u;

/* A number below `n`. */
static uint32_t pick(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed % n);
}

static str one_of(const char *const *words, uint32_t count)
{
    uint32_t i = pick(count + 1);
    return i < count ? str_of(words[i]) : STR_NONE;
}

static const char *const ids[] = { "a", "ab", "b", "invoice", "Order" };
static const char *const keys[] = { "k", "k1", "k22", "other" };
static const char *const labels[] = { "rare", "usual" };
static const char *const names[] = { "ann", "bob" };
static const char *const dialects[] = { "steps", "graph" };

/* Two stores that are given the same rows. */
struct pair {
    struct fixture *postgres, memory;
};

/* Inside a transaction. */
static void put_both(struct pair *pair, const struct changeset *changeset)
{
    apply(pair->postgres, *changeset);
    apply(&pair->memory, *changeset);
}

static void put_definitions(struct pair *pair)
{
    for (int64_t i = 1; i <= DEFINITIONS; i++) {
        struct definition_row row = { .number = i,
                                      .ns = i == DEFINITIONS ? 2 : 1,
                                      .id = str_of(ids[i % IDS]),
                                      .version = (int32_t)(i / IDS + 1),
                                      .rank = pick(3),
                                      .dialect = str_of(dialects[pick(2)]),
                                      .title = i % 2 ? STR("Bills") : STR("Rest"),
                                      .source = STR("{}"),
                                      .content = (uint64_t)i };
        put_both(pair, &(struct changeset){ .definition = &row });
    }
}

static struct task_row a_task(struct arena *arena, const struct instance_row *instance, uint32_t execution)
{
    str due = pick(2) ? arena_printf(arena, ",\"due\":\"2030-01-%02uT00:00:00Z\"", pick(20) + 1) : STR_NONE;
    str text = arena_printf(arena, "{\"%s\":\"%s\"%.*s}", pick(2) ? "assignee" : "assignees", names[pick(2)],
                            STR_ARG(due));
    const struct json *details;
    assert_int_equal(json_parse(text, NULL, arena, &details, NULL), ST_OK);
    return (struct task_row){ .instance = instance->id,
                              .execution = execution,
                              .ns = instance->ns,
                              .definition = instance->definition,
                              .node = STR("ask"),
                              .title = STR("Ask"),
                              .label = str_of(labels[pick(20) > 0]),
                              .details = pick(5) ? json_encoded(details) : STR_NONE };
}

static void put_instances(struct pair *pair)
{
    struct arena *arena = &pair->memory.arena;
    for (uint64_t id = 1; id <= INSTANCES; id++) {
        struct instance_row row = an_instance(id, 1 + pick(DEFINITIONS), (enum instance_status)pick(5));
        struct task_row task[2];
        struct failure_row failure;
        row.ns = row.definition == DEFINITIONS ? 2 : 1;
        row.has_jobs = pick(3) == 0;
        row.business_key = one_of(keys, COUNT(keys));
        row.state = arena_printf(arena, "%0*u", (int)pick(40) + 1, (unsigned)id);
        struct changeset changeset = { .instance = &row, .insert = true, .history = STR("h") };
        for (uint32_t i = 0; i < pick(3); i++) task[changeset.task_add_count++] = a_task(arena, &row, i + 1);
        changeset.task_add = task;
        if (row.status == INSTANCE_FAILED) {
            failure = (struct failure_row){ .instance = id,
                                            .ns = row.ns,
                                            .definition = row.definition,
                                            .business_key = row.business_key,
                                            .reason = STR("why") };
            changeset.failure_put = &failure;
        }
        put_both(pair, &changeset);
        struct child_row child = { .parent = 1 + pick(3), .number = (uint32_t)id, .instance = id };
        struct unmatched_row event = { .ns = (int32_t)pick(2) + 1, .reason = STR("r"), .event = row.state };
        put_both(pair, &(struct changeset){ .child_add = &child, .unmatched_add = &event });
    }
}

/* Each of these asks one question and writes down the answer. */
typedef void ask_fn(struct fixture *f, const void *filter, struct buf *text);

static void ask_instances(struct fixture *f, const void *filter, struct buf *text)
{
    struct instance_row *row;
    size_t count;
    int64_t total;
    assert_ok(f, reader_instances(f->reader, filter, &f->arena, &row, &count, &total, &f->err));
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%d %.*s %.*s %d, ", (int)row[i].id, STR_ARG(row[i].state),
                   STR_ARG(row[i].definition_id), row[i].definition_version);
    buf_printf(text, "of %d", (int)total);
}

static void ask_find(struct fixture *f, const void *filter, struct buf *text)
{
    uint64_t *id;
    size_t count;
    struct store_counts counts;
    assert_ok(f, reader_find(f->reader, filter, &f->arena, &id, &count, &f->err));
    for (size_t i = 0; i < count; i++) buf_printf(text, "%d ", (int)id[i]);
    assert_ok(f, reader_counts(f->reader, filter, &counts, &f->err));
    for (size_t i = 0; i < STORE_PHASES; i++) buf_printf(text, "%d,", (int)counts.phase[i]);
    buf_printf(text, "%d", (int)counts.tasks);
}

static void ask_selection(struct fixture *f, const void *filter, struct buf *text)
{
    struct instance_row *row;
    struct failure_row *failure;
    size_t count;
    assert_ok(f, reader_candidates(f->reader, filter, &f->arena, &row, &count, &f->err));
    for (size_t i = 0; i < count; i++) buf_printf(text, "%d %.*s, ", (int)row[i].id, STR_ARG(row[i].state));
    assert_ok(f, reader_failures(f->reader, filter, &f->arena, &failure, &count, &f->err));
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%d/%d %.*s, ", (int)failure[i].definition, (int)failure[i].instance,
                   STR_ARG(failure[i].definition_id));
}

static void ask_tasks(struct fixture *f, const void *filter, struct buf *text)
{
    struct task_row *row;
    size_t count;
    int64_t total;
    assert_ok(f, reader_tasks(f->reader, filter, &f->arena, &row, &count, &total, &f->err));
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%d/%d %.*s %.*s, ", (int)row[i].instance, (int)row[i].execution,
                   STR_ARG(row[i].label), STR_ARG(row[i].business_key));
    buf_printf(text, "of %d", (int)total);
}

static void ask_worklist(struct fixture *f, const void *filter, struct buf *text)
{
    struct task_row *row;
    size_t count;
    struct worklist_place next;
    assert_ok(f, reader_worklist(f->reader, filter, &f->arena, &row, &count, &next, &f->err));
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%d/%d ", (int)row[i].instance, (int)row[i].execution);
    buf_printf(text, "> %d/%d", (int)next.instance, (int)next.execution);
}

/* Lists that have no filter of their own: the number says where they begin and how long they are. */
static void ask_rest(struct fixture *f, const void *filter, struct buf *text)
{
    uint32_t n = *(const uint32_t *)filter;
    struct definition_row *definition;
    struct unmatched_row *event;
    struct child_listed *child;
    struct found_key *found, after = { str_of(keys[n % 4]), n % 10, n % 2 ? n : 0 };
    size_t count, max = n % 30;
    int64_t total;
    assert_ok(f, reader_definitions(f->reader, 1, n % 3 ? STR("b") : STR_NONE, n % 4, max, &f->arena,
                                    &definition, &count, &total, &f->err));
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%.*s %d, ", STR_ARG(definition[i].id), definition[i].version);
    buf_printf(text, "of %d\n", (int)total);
    assert_ok(f, reader_definitions_after(f->reader, 1, str_of(ids[n % IDS]), max, &f->arena, &definition,
                                          &count, &f->err));
    for (size_t i = 0; i < count; i++) buf_printf(text, "%d, ", (int)definition[i].number);
    assert_ok(f, reader_unmatched(f->reader, (int32_t)(n % 3), n % 200, max, &f->arena, &event, &count,
                                  &total, &f->err));
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%d %.*s, ", (int)event[i].number, STR_ARG(event[i].event));
    buf_printf(text, "of %d\n", (int)total);
    assert_ok(f, reader_children(f->reader, n % 4, max, &f->arena, &child, &count, &total, &f->err));
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%d %d, ", (int)child[i].child.number, (int)child[i].instance.id);
    buf_printf(text, "of %d\n", (int)total);
    assert_ok(f, reader_find_keys(f->reader, 1, n % 5 ? STR("k") : STR_NONE, &after, max, &f->arena, &found,
                                  &count, &f->err));
    for (size_t i = 0; i < count; i++)
        buf_printf(text, "%.*s %d %d, ", STR_ARG(found[i].key), (int)found[i].phase, (int)found[i].id);
}

static void compare(struct pair *pair, ask_fn *ask, const void *filter, const char *what)
{
    struct buf got, want;
    size_t bytes_max = pick(3) ? 0 : pick(300);
    reader_bound(pair->postgres->reader, bytes_max);
    reader_bound(pair->memory.reader, bytes_max);
    buf_init(&got, &pair->memory.arena);
    buf_init(&want, &pair->memory.arena);
    ask(pair->postgres, filter, &got);
    ask(&pair->memory, filter, &want);
    if (!str_equal(buf_str(&got), buf_str(&want)))
        fail_msg("%s:\ngot  %.*s\nwant %.*s", what, STR_ARG(buf_str(&got)), STR_ARG(buf_str(&want)));
}

static size_t some(void) { return pick(9) ? pick(40) : SIZE_MAX; }

static void compare_lists(struct pair *pair)
{
    const struct instance_filter list = { .ns = (int32_t)pick(8) ? 1 : 2,
                                          .definition_id = one_of(ids, IDS),
                                          .status = (int32_t)pick(6) - 1,
                                          .business_key = pick(2) ? STR_NONE : one_of(keys, COUNT(keys)),
                                          .before = pick(2) ? pick(INSTANCES) : 0,
                                          .skip = pick(2) ? pick(30) : 0,
                                          .max = some() };
    compare(pair, ask_instances, &list, "instances");
    const struct find_filter find = { .ns = (int32_t)pick(8) ? 1 : 2,
                                      .definition_id = one_of(ids, IDS),
                                      .version = pick(3) ? 0 : (int32_t)pick(5) + 1,
                                      .dialect = pick(2) ? STR_NONE : one_of(dialects, 2),
                                      .other_dialect = pick(2) ? STR_NONE : one_of(dialects, 2),
                                      .phases = pick(1 << STORE_PHASES),
                                      .with_tasks = pick(3) == 0,
                                      .before = pick(2) ? pick(INSTANCES) : 0,
                                      .max = some() };
    compare(pair, ask_find, &find, "find");
    const struct selection_filter selection = { .ns = (int32_t)pick(8) ? 1 : 2,
                                                .definition_id = one_of(ids, IDS),
                                                .version = pick(3) ? 0 : (int32_t)pick(5) + 1,
                                                .statuses = pick(1 << INSTANCE_STATUS_COUNT),
                                                .with_state = pick(2),
                                                .after_definition = pick(DEFINITIONS),
                                                .after = pick(2) ? pick(INSTANCES) : 0,
                                                .upto = pick(2) ? pick(INSTANCES) : INT64_MAX,
                                                .newest = pick(2),
                                                .max = pick(40) };
    compare(pair, ask_selection, &selection, "selection");
}

static void compare_tasks(struct pair *pair)
{
    const struct task_filter tasks = { .ns = (int32_t)pick(8) ? 1 : 2,
                                       .instance = pick(4) ? 0 : pick(INSTANCES),
                                       .definition_id = one_of(ids, IDS),
                                       .label = one_of(labels, 2),
                                       .after_instance = pick(2) ? pick(INSTANCES) : 0,
                                       .after_execution = pick(2),
                                       .max = some() };
    compare(pair, ask_tasks, &tasks, "tasks");
    const struct worklist_filter worklist = { .ns = 1,
                                              .person = str_of(names[pick(2)]),
                                              .label = one_of(labels, 2),
                                              .definition_id = one_of(ids, IDS),
                                              .due_before_ms =
                                                  pick(2) ? INT64_C(1893456000000) + pick(20) * 86400000 : 0,
                                              .after = { .instance = pick(2) ? pick(INSTANCES) : 0 },
                                              .max = pick(30) + 1 };
    compare(pair, ask_worklist, &worklist, "worklist");
}

static void readers_answer_what_the_memory_store_answers(void **state)
{
    struct pair pair = { .postgres = *state };
    arena_init(&pair.memory.arena, 0);
    assert_ok(&pair.memory, store_open_memory(&pair.memory.store, &pair.memory.err));
    assert_ok(&pair.memory, store_reader_open(pair.memory.store, &pair.memory.reader, &pair.memory.err));
    begin(pair.postgres);
    begin(&pair.memory);
    put_definitions(&pair);
    put_instances(&pair);
    commit(pair.postgres);
    commit(&pair.memory);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        compare_lists(&pair);
        compare_tasks(&pair);
        uint32_t n = pick(1000);
        compare(&pair, ask_rest, &n, "the rest");
    }
    close_store(&pair.memory);
    arena_done(&pair.memory.arena);
}

/* ---- long histories ---- */

static void run(struct fixture *f, const char *sql)
{
    assert_ok(f, postgres_exec(&postgres_self(f->store)->db, sql, &f->err));
}

/* 2500 rows of 2000 bytes, of which the first digits are the revision. */
static void put_long_history(struct fixture *f)
{
    put_definition(f, 1, "order", 1);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE);
    put_instance(f, &row);
    run(f, "INSERT INTO history SELECT 1, n, n, convert_to(rpad(n || ' ', 2000, 'x'), 'UTF8') "
           "FROM generate_series(2, 2500) n");
    run(f, "UPDATE instance SET revision = 2500 WHERE id = 1");
}

static void a_long_history_comes_in_pieces_and_whole(void **state)
{
    struct fixture *f = *state;
    str *blob;
    struct history_row *row;
    struct history_place next;
    size_t count;
    put_long_history(f);
    assert_ok(f, reader_history(f->reader, 1, 1, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 2499);
    for (size_t i = 0; i < count; i++) assert_int_equal(strtol(blob[i].p, NULL, 10), (long)i + 2);
    assert_ok(f, reader_history(f->reader, 1, 700, 1200, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 1200);
    assert_int_equal(strtol(blob[1199].p, NULL, 10), 1900);
    reader_bound(f->reader, 3000001); /* Three times what is fetched at once. */
    assert_ok(f, reader_history(f->reader, 1, 1, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 1501);
    struct history_filter filter = { 1, { 2400, 0 }, INT64_MAX, 9999 };
    assert_ok(f, reader_history_back(f->reader, &filter, &f->arena, &row, &count, &next, &f->err));
    assert_int_equal(count, 1501);
    for (size_t i = 0; i < count; i++) assert_int_equal(strtol(row[i].blob.p, NULL, 10), 2400 - (long)i);
    assert_int_equal(next.revision, 2400 - 1501);
    reader_bound(f->reader, 0);
}

static void a_gap_in_a_history_is_an_error(void **state)
{
    struct fixture *f = *state;
    str *blob;
    struct history_row *row;
    struct history_place next;
    size_t count;
    put_long_history(f);
    static const char *const gaps[] = { "DELETE FROM history WHERE revision = 1800",
                                        "DELETE FROM history WHERE revision > 1700" };
    for (size_t i = 0; i < COUNT(gaps); i++) {
        run(f, gaps[i]);
        struct history_filter filter = { 1, { 0, 0 }, INT64_MAX, 9999 };
        assert_int_equal(reader_history(f->reader, 1, 0, 0, &f->arena, &blob, &count, &f->err), ST_STORE);
        assert_int_equal(reader_history_back(f->reader, &filter, &f->arena, &row, &count, &next, &f->err),
                         ST_STORE);
        assert_string_equal(f->err.message, "the history of instance 1 is broken");
        /* Whoever asks for another part of it gets that. */
        assert_ok(f, reader_history(f->reader, 1, 1000, 5, &f->arena, &blob, &count, &f->err));
        assert_int_equal(count, 5);
    }
}

/* ---- plans ---- */

/* The statements of readers that find a few rows of one place, label or namespace. */
static const struct {
    enum postgres_sql sql;
    const char *wrong_index; /* It has the order of the list, but a rare row comes last there. */
} finders[] = {
    { SQL_FIND, "instance_pkey" },
    { SQL_FIND_OF, "instance_pkey" },
    { SQL_FIND_TASKS, "task_pkey" },
    { SQL_FIND_TASKS_OF, "task_pkey" },
    { SQL_UNMATCHED_LIST, "unmatched_pkey" },
    { SQL_UNMATCHED_OF, "unmatched_pkey" },
    { SQL_SUBSCRIBERS, "subscription_instance" },
};

static const struct {
    const char *name, *letters, *text;
} statements[] = {
#define XX(NAME, letters, text) { #NAME, letters, text },
    POSTGRES_SQL_MAP(XX)
#undef XX
};

static void add_each(struct buf *sql, const char *letters, str number, str bytes, str numbers)
{
    for (size_t i = 0; letters[i]; i++) {
        buf_add_str(sql, i ? STR(", ") : STR("("));
        buf_add_str(sql, letters[i] == 'i' ? number : letters[i] == 'I' ? numbers : bytes);
    }
    if (*letters) buf_add_char(sql, ')');
}

/* The plan of a statement as one text, with the settings of a reader. */
static str plan_of(struct fixture *f, enum postgres_sql sql)
{
    struct postgres_db *db = postgres_reader_db(f->reader);
    const char *letters = statements[sql].letters;
    struct buf prepare, explain, plan;
    buf_init(&prepare, &f->arena);
    buf_printf(&prepare, "PREPARE a_plan");
    add_each(&prepare, letters, STR("int8"), STR("bytea"), STR("int8[]"));
    buf_printf(&prepare, " AS %s%c", statements[sql].text, '\0');
    assert_ok(f, postgres_exec(db, buf_str(&prepare).p, &f->err));
    buf_init(&explain, &f->arena);
    buf_printf(&explain, "EXPLAIN (COSTS OFF) EXECUTE a_plan");
    add_each(&explain, letters, STR("1"), STR("'x'"), STR("'{1}'"));
    buf_add_char(&explain, '\0');
    assert_true(libpq.sendQueryParams(db->conn, buf_str(&explain).p, 0, NULL, NULL, NULL, NULL, 0));
    assert_true(libpq.pipelineSync(db->conn));
    buf_init(&plan, &f->arena);
    for (PGresult *result; (result = libpq.getResult(db->conn)) != NULL; libpq.clear(result)) {
        assert_int_equal(libpq.resultStatus(result), PGRES_TUPLES_OK);
        for (int i = 0; i < libpq.ntuples(result); i++)
            buf_printf(&plan, "%s\n", libpq.getvalue(result, i, 0));
    }
    PGresult *sync = libpq.getResult(db->conn);
    assert_int_equal(libpq.resultStatus(sync), PGRES_PIPELINE_SYNC);
    libpq.clear(sync);
    assert_ok(f, postgres_exec(db, "DEALLOCATE a_plan", &f->err));
    return buf_str(&plan);
}

/* Statistics say that all rows are of one definition, phase and namespace. */
static void a_rare_row_is_found_by_its_index(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    run(f, "INSERT INTO instance(id, definition, created, ended, ns, revision, phase, key, state)"
           " SELECT n, 1, n, NULL, 1, 1, 4, NULL, '' FROM generate_series(1, 9000) n");
    run(f, "INSERT INTO task SELECT n, 1, 1, 1, 1, '', '', 'l' FROM generate_series(1, 9000) n");
    run(f, "INSERT INTO unmatched(ns, received, reason, event) SELECT 1, 1, '', '' "
           "FROM generate_series(1, 9000) n");
    run(f, "INSERT INTO subscription SELECT 1, '', n FROM generate_series(1, 9000) n");
    run(f, "ANALYZE");
    for (size_t i = 0; i < COUNT(finders); i++) {
        str plan = plan_of(f, finders[i].sql);
        assert_true(plan.n > 0);
        if (str_find(plan, str_of(finders[i].wrong_index), 0) != SIZE_MAX)
            fail_msg("%s:\n%.*s", statements[finders[i].sql].name, STR_ARG(plan));
    }
}

/* A plan that was made while a table was empty goes by the index, because it is kept when the table grows. */
static void plans_for_empty_tables_go_by_an_index(void **state)
{
    struct fixture *f = *state;
    run(f, "VACUUM ANALYZE definition, instance, tally, history, task, worklist, child, unmatched, failure, "
           "bulk, bulk_part");
    for (enum postgres_sql sql = 0; sql < SQL_COUNT; sql++) {
        bool reads = sql >= SQL_INSTANCES_ALL && sql < SQL_STATISTICS;
        if (!reads) continue;
        str plan = plan_of(f, sql);
        for (size_t at = 0; (at = str_find(plan, STR("Index "), at)) != SIZE_MAX; at++) {
            size_t end = str_find(plan, STR("->"), at);
            str node = str_slice(plan, at, end);
            bool scans = str_find(node, STR("Scan"), 0) != SIZE_MAX;
            if (scans && str_find(node, STR("Index Cond"), 0) == SIZE_MAX)
                fail_msg("%s:\n%.*s", statements[sql].name, STR_ARG(plan));
        }
        assert_true(str_find(plan, STR("Seq Scan"), 0) == SIZE_MAX);
    }
}

/* ---- a lost connection ---- */

static void a_reader_whose_connection_is_lost_connects_again(void **state)
{
    struct fixture *f = *state;
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE), *list;
    const struct instance_filter filter = { .ns = 1, .status = -1, .max = 5 };
    size_t count;
    int64_t total;
    put_definition(f, 1, "order", 1);
    put_instance(f, &row);
    for (int i = 0; i < 2; i++) { /* Asked with and without a transaction. */
        char end[64];
        snprintf(end, sizeof end, "SELECT pg_terminate_backend(%d, 5000)",
                 libpq.backendPID(postgres_reader_db(f->reader)->conn));
        run(f, end);
        int64_t *wanted = i ? &total : NULL;
        assert_ok(f, reader_instances(f->reader, &filter, &f->arena, &list, &count, wanted, &f->err));
        assert_int_equal(count, 1);
    }
}

/* Connecting to a server that is away takes seconds: one call pays for it, not every call. */
static void who_asks_again_at_once_is_refused_at_once(void **state)
{
    struct fixture *f = *state;
    struct postgres_db db;
    postgres_db_init(&db, "postgres://127.0.0.1:1/nowhere", POSTGRES_READER);
    assert_int_equal(postgres_db_connect(&db, &f->err), ST_STORE);
    assert_non_null(strstr(f->err.message, "refused"));
    assert_int_equal(postgres_db_connect(&db, &f->err), ST_STORE);
    assert_string_equal(f->err.message, "the database cannot be reached");
    postgres_db_done(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define XX(name) cmocka_unit_test_setup_teardown(name, setup_postgres, teardown)
        XX(readers_answer_what_the_memory_store_answers),
        XX(a_long_history_comes_in_pieces_and_whole),
        XX(a_gap_in_a_history_is_an_error),
        XX(a_rare_row_is_found_by_its_index),
        XX(plans_for_empty_tables_go_by_an_index),
        XX(a_reader_whose_connection_is_lost_connects_again),
        XX(who_asks_again_at_once_is_refused_at_once),
#undef XX
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
