/* The audit: rows commit with their change, form chains, are listed, checked and removed; and when keys were
 * last used. */
#include "access_driver.h"

#include "access/limits.h"
#include "access/record/audit_block.h"
#include "runtime/limits.h"
#include "store/store_int.h"

struct bench {
    struct driver *driver;
    struct directory *directory;
    struct caller ada;
};

static int setup(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    void *driver;
    driver_setup(&driver);
    bench->driver = driver;
    bench->directory = access_directory("root");
    access_use(bench->driver, bench->directory);
    access_make(bench->driver, ACCESS_USER, "ada", "{\"roles\":[\"admin\"]}");
    bench->ada = (struct caller){ .principal = access_principal(bench->driver, "user:ada"),
                                  .tenant = TENANT_DEFAULT,
                                  .address = STR("10.0.0.7"),
                                  .request_id = STR("r1"),
                                  .needs = MAY_INSTANCES_OPERATE };
    *state = bench;
    return 0;
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    void *driver = bench->driver;
    principal_unref(bench->ada.principal);
    driver_teardown(&driver);
    directory_free(bench->directory);
    free(bench);
    return 0;
}

#define AUDIT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct call *list(struct bench *bench, const struct call_audit_rows *asked)
{
    struct call *call = access_call(bench->driver, CALL_LIST_AUDIT_ROWS, &bench->ada);
    call->as.audit_rows = *asked;
    if (!asked->max) call->as.audit_rows.max = 100;
    driver_run(bench->driver, call);
    access_done(call);
    return call;
}

/* The actions of the rows that fit, newest first. */
static const char *actions(struct bench *bench, const struct call_audit_rows *asked)
{
    struct call *call = list(bench, asked);
    struct buf out;
    buf_init(&out, &bench->driver->arena);
    for (size_t i = 0; i < call->value.audit_rows.count; i++) {
        if (i) buf_add_char(&out, ' ');
        buf_add_str(&out, call->value.audit_rows.row[i].action);
    }
    return arena_str(&bench->driver->arena, buf_str(&out)).p;
}

static struct call *verify(struct bench *bench)
{
    struct call *call = driver_run(bench->driver, access_call(bench->driver, CALL_VERIFY_AUDIT, &bench->ada));
    access_done(call);
    return call;
}

static void verified(struct bench *bench, int64_t count)
{
    struct call *call = verify(bench);
    if (call->value.audit_rows.broken.n) fail_msg("%.*s", STR_ARG(call->value.audit_rows.broken));
    assert_int_equal(call->value.audit_rows.checked, count);
}

static void broken(struct bench *bench, const char *words)
{
    str text = verify(bench)->value.audit_rows.broken;
    if (str_find(text, str_of(words), 0) == SIZE_MAX) fail_msg("“%s” is not in “%.*s”", words, STR_ARG(text));
}

static struct call *note(struct bench *bench, const char *action)
{
    struct audit_row *row = arena_make(&bench->driver->arena, struct audit_row);
    *row =
        (struct audit_row){ .action = str_of(action), .principal = STR("nobody"), .outcome = STR("refused") };
    struct call *call = driver_call(bench->driver, CALL_NOTE_ACCESS);
    call->as.note_access = (struct call_note_access){ .row = row, .count = 1 };
    driver_run(bench->driver, call);
    access_done(call);
    return call;
}

/* ---- rows ---- */

/* Whoever adds a command decides whether it leaves a row (runtime/access/audit_calls.c). */
static void every_command_is_decided(void **state)
{
    (void)state;
    for (enum call_kind kind = 0; kind < CALL_KIND_COUNT; kind++)
        if (call_description(kind)->writes && !audit_calls_decided(kind))
            fail_msg("%s has no decision", call_description(kind)->name);
}

static void rows_say_who_did_what(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    struct call *deploy = access_call(driver, CALL_DEPLOY, &bench->ada);
    deploy->as.deploy.text = str_of(document("runtime/engine", "worker"));
    access_done(driver_run(driver, deploy));
    struct id id = driver_started(driver, "worker", "{}");
    struct call *cancel = access_call(driver, CALL_CANCEL, &bench->ada);
    cancel->as.instance.id = id;
    access_done(driver_run(driver, cancel));
    struct call *again = access_call(driver, CALL_DEPLOY, &bench->ada);
    again->as.deploy.text = str_of(document("runtime/engine", "worker"));
    access_done(driver_run(driver, again)); /* It changes nothing, and leaves no row. */
    assert_string_equal(actions(bench, &(struct call_audit_rows){ 0 }),
                        "instance.cancel definition.deploy user.create");
    const struct audit_row *row =
        list(bench, &(struct call_audit_rows){ .action = STR("instance.*") })->value.audit_rows.row;
    char text[ID_CHARS + 1];
    id_print(id, text);
    assert_true(str_equal(row->principal, STR("user:ada")) && str_equal(row->object, str_of(text)));
    assert_true(str_equal(row->address, STR("10.0.0.7")) && str_equal(row->request_id, STR("r1")));
    assert_int_equal(row->at_ms, driver->now_ms);
    /* A refused command leaves none: the gate counts refusals. */
    struct call *refused = access_call(driver, CALL_CANCEL, &bench->ada);
    refused->as.instance.id = id;
    assert_int_not_equal(driver_run(driver, refused)->status, ST_OK);
    verified(bench, 3);
}

static void the_names_of_variables_are_there_and_their_values_are_not(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    const struct access_change change = { .kind = ACCESS_USER,
                                          .action = ACCESS_CHANGE,
                                          .name = STR("ada"),
                                          .object = driver_json(driver, "{\"email\":\"ada@example.org\"}"),
                                          .secret = STR("$argon2id$hash") };
    access_done(access_change(driver, NULL, &change, 1));
    const struct audit_row *row =
        list(bench, &(struct call_audit_rows){ .action = STR("user.change") })->value.audit_rows.row;
    assert_true(str_equal(row->details, STR("\"members\":[\"email\"]")));
    assert_true(str_equal(row->principal, STR("engine")) && str_equal(row->object, STR("ada")));
}

static void lists_have_filters_and_pages(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    int64_t began_ms = driver->now_ms;
    for (int i = 0; i < 5; i++) {
        driver->now_ms += 1000;
        note(bench, i % 2 ? "session.login" : "access.refused");
    }
    struct call_audit_rows asked = { .action = STR("access.refused"), .max = 2 };
    struct call *page = list(bench, &asked);
    assert_int_equal(page->value.audit_rows.count, 2);
    assert_true(page->value.audit_rows.next.n);
    asked.before = page->value.audit_rows.next;
    page = list(bench, &asked);
    assert_int_equal(page->value.audit_rows.count, 1);
    assert_false(page->value.audit_rows.next.n);
    assert_string_equal(actions(bench, &(struct call_audit_rows){ .since_ms = began_ms + 4000 }),
                        "access.refused session.login");
    assert_string_equal(actions(bench, &(struct call_audit_rows){ .until_ms = began_ms + 1000 }),
                        "user.create");
    assert_string_equal(actions(bench, &(struct call_audit_rows){ .principal = STR("nobody"), .max = 1 }),
                        "access.refused");
    verified(bench, 6);
}

/* Rows of one tenant are not for admins of another. */
static void each_tenant_has_its_own(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    access_make(driver, ACCESS_TENANT, "acme", "{}");
    access_make_key(driver, "K1", "s", "{\"name\":\"a\",\"tenant\":\"acme\",\"roles\":[\"admin\"]}");
    struct principal *key = access_principal(driver, "key:K1");
    struct caller acme = { .principal = key, .tenant = key->home };
    struct call *secret = access_call(driver, CALL_LIST_AUDIT_ROWS, &acme);
    secret->as.audit_rows.max = 10;
    access_done(driver_run(driver, secret));
    assert_int_equal(secret->value.audit_rows.count, 0);
    acme.tenant = TENANT_DEFAULT;
    secret = access_call(driver, CALL_LIST_AUDIT_ROWS, &acme);
    secret->as.audit_rows.max = 10;
    assert_int_equal(driver_run(driver, secret)->status, ST_FORBIDDEN);
    principal_unref(key);
}

/* ---- the chain ---- */

static void apply(struct bench *bench, struct changeset *changeset)
{
    struct store *store = bench->driver->engine.store;
    struct error err;
    assert_int_equal(store_begin(store, &err), ST_OK);
    assert_int_equal(store_apply(store, changeset, &err), ST_OK);
    assert_int_equal(store_commit(store, &err), ST_OK);
}

/* The newest block is the first. */
static struct record_row stored_row(struct bench *bench, size_t index)
{
    const struct record_filter filter = { .ns = TENANT_DEFAULT,
                                          .kind = RECORD_AUDIT_BLOCK,
                                          .prefix = STR("\0"),
                                          .skip = index,
                                          .max = 1,
                                          .down = true };
    struct record_row *row;
    struct error err;
    size_t count;
    assert_int_equal(
        store_records(bench->driver->engine.store, &filter, &bench->driver->arena, &row, &count, &err),
        ST_OK);
    assert_int_equal(count, 1);
    return *row;
}

static void note_some(struct bench *bench, int count)
{
    for (int i = 0; i < count; i++) {
        bench->driver->now_ms += 1000;
        note(bench, "session.login");
    }
}

/* Puts the record back with another text of the same length. */
static void change(struct bench *bench, struct record_row row, const char *from, const char *to)
{
    char *text = arena_alloc(&bench->driver->arena, row.value.n);
    memcpy(text, row.value.p, row.value.n);
    size_t place = str_find(row.value, str_of(from), 0);
    assert_int_not_equal(place, SIZE_MAX);
    memcpy(text + place, to, strlen(from));
    row.value.p = text;
    apply(bench, &(struct changeset){ .record_put = &row, .record_put_count = 1 });
}

static void take_away(struct bench *bench, struct record_row row)
{
    apply(bench, &(struct changeset){ .record_remove = &row, .record_remove_count = 1 });
}

/* Where the chain ends is written between turns. */
static void save_head(struct bench *bench) { driver_advance(bench->driver, AUDIT_HEADS_MS + 1000); }

static void a_changed_row_is_found(void **state)
{
    struct bench *bench = *state;
    note_some(bench, 4);
    verified(bench, 5);
    change(bench, stored_row(bench, 2), "login", "ninol");
    broken(bench, "a row was changed (node 0, row 3)");
}

static void a_changed_row_at_the_end_is_found(void **state)
{
    struct bench *bench = *state;
    note_some(bench, 4);
    save_head(bench);
    change(bench, stored_row(bench, 0), "login", "ninol");
    broken(bench, "a row was changed (node 0, row 5)");
    driver_restart(bench->driver);
    access_use(bench->driver, bench->directory);
    note_some(bench, 1); /* The chain goes on, and does not hide it. */
    broken(bench, "a row was changed (node 0, row 5)");
}

static void a_damaged_block_is_shown_and_found(void **state)
{
    struct bench *bench = *state;
    note_some(bench, 3);
    struct record_row row = stored_row(bench, 1);
    row.value = str_slice(row.value, 0, row.value.n - 1);
    apply(bench, &(struct changeset){ .record_put = &row, .record_put_count = 1 });
    assert_string_equal(actions(bench, &(struct call_audit_rows){ 0 }),
                        "session.login audit.damaged session.login user.create");
    broken(bench, "a row is damaged (node 0, row 3)");
}

static void a_missing_row_is_found(void **state)
{
    struct bench *bench = *state;
    note_some(bench, 4);
    take_away(bench, stored_row(bench, 2));
    broken(bench, "a row is missing (node 0, row 3)");
}

static void rows_cut_off_at_the_end_are_found(void **state)
{
    struct bench *bench = *state;
    note_some(bench, 4);
    save_head(bench);
    take_away(bench, stored_row(bench, 0));
    broken(bench, "a row is missing (node 0, row 5)");
    driver_restart(bench->driver);
    access_use(bench->driver, bench->directory);
    note_some(bench, 1);
    broken(bench, "a row is missing (node 0, row 5)");
}

/* An engine that has much to do writes it with every so many blocks. */
static void rows_cut_off_in_a_busy_minute_are_found(void **state)
{
    struct bench *bench = *state;
    for (int i = 1; i < AUDIT_HEAD_BLOCKS + 6; i++) note(bench, "session.login");
    verified(bench, AUDIT_HEAD_BLOCKS + 6);
    for (int i = 0; i < 6; i++) take_away(bench, stored_row(bench, 0));
    broken(bench,
           arena_printf(&bench->driver->arena, "a row is missing (node 0, row %d)", AUDIT_HEAD_BLOCKS + 1).p);
}

static void a_head_that_is_missing_is_found(void **state)
{
    struct bench *bench = *state;
    note_some(bench, 2);
    take_away(bench, (struct record_row){ .ns = TENANT_DEFAULT, .kind = RECORD_AUDIT_HEAD, .key = STR("0") });
    broken(bench, "a chain has no head");
}

static void all_rows_of_the_beginning_are_found_missing(void **state)
{
    struct bench *bench = *state;
    note_some(bench, 4);
    take_away(bench, stored_row(bench, 4));
    broken(bench, "a row is missing (node 0, row 1)");
}

/* The chain goes on behind a restart, also with a clock that was set back. */
static void a_restart_goes_on_with_the_chain(void **state)
{
    struct bench *bench = *state;
    note_some(bench, 3);
    driver_restart(bench->driver);
    access_use(bench->driver, bench->directory);
    bench->driver->now_ms -= 3600000;
    note(bench, "session.login");
    bench->driver->now_ms += 7200000;
    note_some(bench, 2);
    verified(bench, 7);
}

/* ---- blocks ---- */

static void rows_of_a_turn_are_one_block_and_pages_may_end_in_it(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    struct audit_row row[5];
    for (size_t i = 0; i < COUNT(row); i++)
        row[i] = (struct audit_row){ .action = str_of(arena_printf(&driver->arena, "session.%zu", i).p),
                                     .outcome = STR("done") };
    struct call *call = driver_call(driver, CALL_NOTE_ACCESS);
    call->as.note_access = (struct call_note_access){ .row = row, .count = COUNT(row) };
    access_done(driver_run(driver, call));
    assert_true(str_find(stored_row(bench, 1).value, STR("user.create"), 0) != SIZE_MAX);
    verified(bench, 6);
    struct call_audit_rows asked = { .max = 2 };
    static const char *const pages[] = { "session.4 session.3", "session.2 session.1",
                                         "session.0 user.create" };
    for (size_t i = 0; i < COUNT(pages); i++) {
        assert_string_equal(actions(bench, &asked), pages[i]);
        asked.before = list(bench, &asked)->value.audit_rows.next;
        assert_true(!asked.before.n == (i == COUNT(pages) - 1));
    }
}

/* More rows than one block may have. */
static void a_turn_with_many_rows_has_several_blocks(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    enum { ROWS = 2 * AUDIT_BLOCK_ROWS_MAX + 1 };
    struct audit_row *row = arena_make_n(&driver->arena, struct audit_row, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        row[i] = (struct audit_row){ .action = STR("session.login"), .outcome = STR("done") };
    struct call *call = driver_call(driver, CALL_NOTE_ACCESS);
    call->as.note_access = (struct call_note_access){ .row = row, .count = ROWS };
    access_done(driver_run(driver, call));
    assert_true(str_find(stored_row(bench, 3).value, STR("user.create"), 0) != SIZE_MAX);
    verified(bench, ROWS + 1);
    call = list(bench, &(struct call_audit_rows){ .max = 2 * ROWS });
    assert_int_equal(call->value.audit_rows.count, ROWS + 1);
    for (size_t i = 1; i < call->value.audit_rows.count; i++)
        assert_true(str_compare(call->value.audit_rows.id[i - 1], call->value.audit_rows.id[i]) < 0);
}

/* ---- older stores ---- */

/* A row as builds before blocks have written it. */
static struct record_row old_row(struct bench *bench, uint64_t number, struct audit_hash *hash)
{
    struct driver *driver = bench->driver;
    struct credential_hash before;
    memcpy(before.bytes, hash->bytes, sizeof before.bytes);
    struct record_row row = { .ns = TENANT_DEFAULT, .kind = RECORD_AUDIT };
    row.key = audit_key(driver->now_ms, 0, number, &driver->arena);
    row.value = arena_printf(&driver->arena,
                             "{\"number\":%llu,\"tenant\":1,\"at\":%lld,\"principal\":\"user:old\",\"way\":"
                             "\"rest\",\"action\":\"key.create\",\"outcome\":\"done\",\"before\":\"%.*s\"}",
                             (unsigned long long)number, (long long)driver->now_ms,
                             STR_ARG(credential_hash_text(&before, &driver->arena)));
    *hash = audit_hash_of(row.value);
    return row;
}

/* A tenant with nothing but `count` rows of an older store, one each second. */
static void make_old(struct bench *bench, uint64_t count)
{
    struct driver *driver = bench->driver;
    struct audit_head head = { .number = count };
    take_away(bench, stored_row(bench, 0));
    for (uint64_t i = 1; i <= count; i++) {
        driver->now_ms += 1000;
        struct record_row row = old_row(bench, i, &head.hash);
        apply(bench, &(struct changeset){ .record_put = &row, .record_put_count = 1 });
    }
    struct record_row row = { .ns = TENANT_DEFAULT, .kind = RECORD_AUDIT_HEAD, .key = STR("0") };
    row.value = audit_head_encode(&head, &driver->arena);
    apply(bench, &(struct changeset){ .record_put = &row, .record_put_count = 1 });
    driver_restart(driver);
    access_use(driver, bench->directory);
}

static void the_chain_of_an_older_store_goes_on(void **state)
{
    struct bench *bench = *state;
    make_old(bench, 3);
    verified(bench, 3);
    note_some(bench, 2);
    verified(bench, 5);
    assert_string_equal(actions(bench, &(struct call_audit_rows){ 0 }),
                        "session.login session.login key.create key.create key.create");
    struct call_audit_rows asked = { .max = 3 };
    assert_string_equal(actions(bench, &asked), "session.login session.login key.create");
    asked.before = list(bench, &asked)->value.audit_rows.next;
    assert_string_equal(actions(bench, &asked), "key.create key.create");
    assert_string_equal(actions(bench, &(struct call_audit_rows){ .principal = STR("user:old"), .max = 1 }),
                        "key.create");
    save_head(bench);
    verified(bench, 5);
}

static void a_changed_row_of_an_older_store_is_found(void **state)
{
    struct bench *bench = *state;
    make_old(bench, 3);
    note_some(bench, 1);
    const struct record_filter filter = { .ns = TENANT_DEFAULT, .kind = RECORD_AUDIT, .max = 1 };
    struct record_row *row;
    struct error err;
    size_t count;
    assert_int_equal(
        store_records(bench->driver->engine.store, &filter, &bench->driver->arena, &row, &count, &err),
        ST_OK);
    change(bench, *row, "user:old", "user:new"); /* The newest one: the first block has its hash. */
    broken(bench, "a row was changed (node 0, row 3)");
    take_away(bench, *row);
    broken(bench, "a row is missing (node 0, row 3)");
}

static void rows_of_an_older_store_go_first(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    const int64_t day_ms = INT64_C(24) * 3600 * 1000;
    make_old(bench, 3);
    note_some(bench, 1);
    driver->now_ms += day_ms / 2;
    note_some(bench, 2);
    driver->engine.maintenance.retention.audit_ms = day_ms;
    driver_advance(driver, day_ms * 3 / 4);
    driver_advance(driver, 120000);
    verified(bench, 2);
    assert_string_equal(actions(bench, &(struct call_audit_rows){ 0 }), "session.login session.login");
}

/* ---- transactions that fail ---- */

static int commits_that_fail;
static const struct store_ops *real_ops;
static struct store_ops failing_ops;

static enum status fail_commit(struct store *store, struct error *err)
{
    if (commits_that_fail-- > 0) return (fail)(err, ST_AGAIN, "", "another node was faster");
    return real_ops->commit(store, err);
}

static void a_row_of_a_failed_transaction_is_not_there(void **state)
{
    struct bench *bench = *state;
    struct store *store = bench->driver->engine.store;
    note_some(bench, 2);
    real_ops = store->ops;
    failing_ops = *store->ops;
    failing_ops.commit = fail_commit;
    store->settles_commits = true; /* A commit that fails has not happened. */
    store->ops = &failing_ops;
    commits_that_fail = 1; /* The second attempt succeeds. */
    note(bench, "session.login");
    commits_that_fail = 1000;
    struct call *call = access_do(bench->driver, ACCESS_USER, ACCESS_CREATE, "bob", "{}");
    assert_int_equal(call->status, ST_AGAIN);
    commits_that_fail = 0;
    note(bench, "session.login");
    store->ops = real_ops;
    verified(bench, 5);
}

/* ---- retention ---- */

static void old_rows_go_and_the_rest_can_be_checked(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    const int64_t day_ms = INT64_C(24) * 3600 * 1000;
    driver->engine.maintenance.retention.audit_ms = 2 * day_ms;
    note_some(bench, 3);
    driver->now_ms += day_ms;
    note_some(bench, 2);
    driver_turn(driver);
    verified(bench, 6);
    driver->now_ms += day_ms + 2000;
    driver_turn(driver);
    driver->now_ms += 120000;
    driver_turn(driver);
    verified(bench, 2);
    note_some(bench, 1);
    verified(bench, 3);
    take_away(bench, stored_row(bench, 2)); /* The oldest that is left. */
    broken(bench, "a row is missing");
}

/* The chain goes on behind a mark, also if the head was written before rows that are gone. */
static void a_chain_goes_on_when_all_of_it_is_gone(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    const int64_t day_ms = INT64_C(24) * 3600 * 1000;
    note_some(bench, 3);
    driver_restart(driver);
    access_use(driver, bench->directory);
    driver->engine.maintenance.retention.audit_ms = day_ms;
    driver_advance(driver, 2 * day_ms);
    driver_advance(driver, 120000);
    verified(bench, 0);
    driver_restart(driver);
    access_use(driver, bench->directory);
    note_some(bench, 2);
    verified(bench, 2);
    struct call *call = list(bench, &(struct call_audit_rows){ 0 });
    int64_t at_ms, node;
    uint64_t number;
    assert_true(audit_key_parse(call->value.audit_rows.id[0], &at_ms, &node, &number));
    assert_int_equal(number, 6);
}

/* ---- last used ---- */

static str last_used(struct bench *bench)
{
    struct call *call =
        access_list(bench->driver, NULL, &(struct call_access_list){ .kind = ACCESS_KEY, .name = STR("K1") });
    access_done(call);
    return json_text(call->value.access_list.view[0], STR("lastUsed"));
}

static void a_use_is_written_at_most_hourly(void **state)
{
    struct bench *bench = *state;
    struct driver *driver = bench->driver;
    access_make_key(driver, "K1", "s", "{\"name\":\"a\",\"roles\":[\"viewer\"]}");
    uint64_t generation = directory_generation(bench->directory);
    assert_false(last_used(bench).n);
    principal_unref(access_resolve_key(driver, "K1", "s")->value.resolve.principal);
    driver_advance(driver, 5000);
    str first = last_used(bench);
    assert_true(first.n);
    driver->now_ms += 1800000;
    principal_unref(access_resolve_key(driver, "K1", "s")->value.resolve.principal);
    driver_advance(driver, 5000);
    assert_true(str_equal(last_used(bench), first));
    driver->now_ms += 3600000;
    principal_unref(access_resolve_key(driver, "K1", "s")->value.resolve.principal);
    driver_advance(driver, 5000);
    assert_false(str_equal(last_used(bench), first));
    assert_int_equal(directory_generation(bench->directory), generation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_is_decided),
        AUDIT_TEST(rows_say_who_did_what),
        AUDIT_TEST(the_names_of_variables_are_there_and_their_values_are_not),
        AUDIT_TEST(lists_have_filters_and_pages),
        AUDIT_TEST(each_tenant_has_its_own),
        AUDIT_TEST(a_changed_row_is_found),
        AUDIT_TEST(a_changed_row_at_the_end_is_found),
        AUDIT_TEST(a_damaged_block_is_shown_and_found),
        AUDIT_TEST(a_missing_row_is_found),
        AUDIT_TEST(rows_cut_off_at_the_end_are_found),
        AUDIT_TEST(rows_cut_off_in_a_busy_minute_are_found),
        AUDIT_TEST(a_head_that_is_missing_is_found),
        AUDIT_TEST(all_rows_of_the_beginning_are_found_missing),
        AUDIT_TEST(a_restart_goes_on_with_the_chain),
        AUDIT_TEST(rows_of_a_turn_are_one_block_and_pages_may_end_in_it),
        AUDIT_TEST(a_turn_with_many_rows_has_several_blocks),
        AUDIT_TEST(the_chain_of_an_older_store_goes_on),
        AUDIT_TEST(a_changed_row_of_an_older_store_is_found),
        AUDIT_TEST(rows_of_an_older_store_go_first),
        AUDIT_TEST(a_row_of_a_failed_transaction_is_not_there),
        AUDIT_TEST(old_rows_go_and_the_rest_can_be_checked),
        AUDIT_TEST(a_chain_goes_on_when_all_of_it_is_gone),
        AUDIT_TEST(a_use_is_written_at_most_hourly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
