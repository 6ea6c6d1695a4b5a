/* Lists of triggers while the store has trouble. */
#include "arrive_driver.h"

#include "store/store_int.h"

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    enum status status; /* Of a definition, … */
    int times;          /* … so often; */
    int records;        /* and so many records can be read. */
} unread;

static enum status fail_definition(struct store *store, int64_t number, struct arena *arena,
                                   struct definition_row *ret_row, struct error *err)
{
    if (unread.times-- <= 0) return unread.real->load_definition(store, number, arena, ret_row, err);
    return (fail)(err, unread.status, "definition", "it cannot be read");
}

static enum status fail_record(struct store *store, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    if (unread.records-- > 0) return unread.real->find_record(store, ns, kind, key, arena, ret_row, err);
    return (fail)(err, ST_STORE, "store", "it is away");
}

/* A trigger without its configuration would be taken for one that is gone. If the definition is damaged, the
 * others are listed all the same. */
static void triggers_are_not_listed_while_their_definition_cannot_be_read(void **state)
{
    enum { ALL = 1000 };
    static const struct {
        enum status status;
        int times, records;
        enum status want;
        bool configured;
    } cases[] = {
        { ST_STORE, ALL, 1, ST_STORE, false }, { ST_AGAIN, ALL, ALL, ST_AGAIN, false },
        { ST_FULL, ALL, ALL, ST_FULL, false }, { ST_STORE, 1, ALL, ST_OK, true },
        { ST_STORE, ALL, ALL, ST_OK, false },  { ST_INTERNAL, ALL, ALL, ST_OK, false },
        { ST_OK, 0, ALL, ST_OK, true },
    };
    struct driver *driver = *state;
    deploy(driver, "orders");
    for (size_t i = 0; i < COUNT(cases); i++) {
        driver_restart(driver);
        unread.real = driver->store->ops;
        unread.ops = *unread.real;
        unread.ops.load_definition = fail_definition;
        unread.ops.find_record = fail_record;
        unread.status = cases[i].status;
        unread.times = cases[i].times;
        unread.records = cases[i].records;
        driver->store->ops = &unread.ops;
        struct call *call = driver_run(driver, driver_call(driver, CALL_LIST_TRIGGERS));
        driver->store->ops = unread.real;
        assert_int_equal(call->status, cases[i].want);
        for (size_t k = 0; call->status == ST_OK && k < call->value.triggers.count; k++)
            assert_true(!call->value.triggers.view[k].config == !cases[i].configured);
        assert_true(call->status != ST_OK || call->value.triggers.count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(triggers_are_not_listed_while_their_definition_cannot_be_read,
                                        driver_setup, driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
