/* Models in memory: what writes see of a model is what its last change has left. */
#include "entity_driver.h"

#include "store/store_int.h"

static struct call *change_call(struct driver *d, enum model_action action)
{
    struct call *call = driver_call(d, CALL_CHANGE_MODEL);
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = action };
    if (action == MODEL_SET_LEVEL) call->as.model.level = MODEL_LEVEL_STRUCTURAL;
    return call;
}

/* All of them in one turn. */
static void run_together(struct driver *d, struct call **call, size_t count)
{
    struct call_list list = { 0 };
    for (size_t i = 0; i < count; i++) call_list_add(&list, call[i]);
    engine_turn(&d->engine, &list);
    driver_turn(d);
    for (size_t i = 0; i < count; i++) assert_true(driver_answered(d, call[i]));
}

static void a_change_is_seen_by_the_next_call_of_the_turn(void **state)
{
    struct driver *d = *state;
    begin(d, WORKFLOW("\"A\":{}"));
    created(d, "{\"n\":1}"); /* The model is in memory now. */
    struct call *call[] = { create_call(d, "{\"n\":1,\"new\":1}"), change_call(d, MODEL_SET_LEVEL),
                            create_call(d, "{\"n\":1,\"new\":1}"), create_call(d, "{\"new\":\"text\"}") };
    run_together(d, call, COUNT(call));
    assert_int_equal(call[0]->status, ST_INVALID);
    assert_int_equal(call[1]->status, ST_OK);
    assert_int_equal(call[2]->status, ST_OK);
    assert_int_equal(call[3]->status, ST_OK); /* The level lets types grow, too. */
    driver_restart(d);
    assert_int_equal(driver_run(d, create_call(d, "{\"new\":2}"))->status, ST_OK);
    driver_check(d);
}

static void a_removed_model_is_gone_at_once(void **state)
{
    struct driver *d = *state;
    assert_int_equal(change(d, MODEL_IMPORT, "{\"n\":1}"), ST_OK);
    assert_int_equal(change(d, MODEL_LOCK, NULL), ST_OK);
    struct call *call[] = { create_call(d, "{\"n\":\"\"}"), change_call(d, MODEL_REMOVE),
                            create_call(d, "{\"n\":1}") };
    run_together(d, call, COUNT(call));
    assert_string_equal(call[0]->error.code, "INCOMPATIBLE_TYPE");
    assert_int_equal(call[1]->status, ST_OK);
    assert_string_equal(call[2]->error.code, "MODEL_NOT_FOUND");
}

/* ---- a commit that fails ---- */

static const struct store_ops *real;
static int commits_that_fail;

static enum status full_commit(struct store *store, struct error *err)
{
    return commits_that_fail-- > 0 ? (fail)(err, ST_FULL, "store", "no room") : real->commit(store, err);
}

/* If the cache kept what was rolled back, the second attempt would find the model locked already. */
static void a_rollback_forgets_what_it_undid(void **state)
{
    struct driver *d = *state;
    assert_int_equal(change(d, MODEL_IMPORT, "{\"n\":1}"), ST_OK);
    struct call *call[] = { change_call(d, MODEL_LOCK), create_call(d, "{\"n\":1}") };
    real = d->store->ops;
    struct store_ops ops = *real;
    ops.commit = full_commit;
    d->store->ops = &ops;
    commits_that_fail = 1;
    run_together(d, call, COUNT(call));
    d->store->ops = real;
    assert_true(commits_that_fail < 0);
    assert_int_equal(call[0]->status, ST_OK);
    assert_int_equal(call[1]->status, ST_OK);
    driver_check(d);
}

/* ---- the cache ---- */

static void keep(struct model_cache *cache, const char *key, size_t bytes)
{
    struct cached_model *entry = model_cache_new(str_of(key));
    arena_alloc(&entry->arena, bytes);
    entry->model.version = (int32_t)bytes;
    model_cache_add(cache, entry);
}

static void the_least_used_models_go_first(void **state)
{
    struct model_cache cache;
    (void)state;
    model_cache_init(&cache);
    keep(&cache, "a", MODELS_CACHED_BYTES_MAX / 3);
    keep(&cache, "b", MODELS_CACHED_BYTES_MAX / 3);
    model_cache_trim(&cache);
    assert_non_null(model_cache_find(&cache, STR("a")));
    keep(&cache, "c", MODELS_CACHED_BYTES_MAX / 2);
    assert_non_null(model_cache_find(&cache, STR("c")));
    model_cache_trim(&cache);
    assert_null(model_cache_find(&cache, STR("b")));
    const struct model *a = model_cache_find(&cache, STR("a"));
    assert_non_null(a);
    model_cache_clear(&cache);
    assert_null(model_cache_find(&cache, STR("a")));
    assert_int_equal(a->version, MODELS_CACHED_BYTES_MAX / 3); /* Until the turn is over. */
    keep(&cache, "a", 1);
    model_cache_trim(&cache);
    assert_int_equal(model_cache_find(&cache, STR("a"))->version, 1);
    model_cache_done(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_change_is_seen_by_the_next_call_of_the_turn),
        DRIVER_TEST(a_removed_model_is_gone_at_once),
        DRIVER_TEST(a_rollback_forgets_what_it_undid),
        cmocka_unit_test(the_least_used_models_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
