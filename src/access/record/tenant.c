/* access/record/tenant.c — the record of a tenant, read. */
#include "access/record/record.h"

enum status tenant_read(str name, const struct json *record, struct arena *arena, struct tenant *ret_tenant,
                        struct error *err)
{
    TRY(access_record_check(ACCESS_TENANT, record, err));
    int64_t number = json_integer(record, STR("number"));
    if (!number) return fail(err, ST_INVALID, "/number", "the record of a tenant has no number");
    struct tenant tenant = { .name = arena_str(arena, name),
                             .number = (int32_t)number,
                             .is_suspended = str_equal(json_text(record, STR("state")), STR("suspended")),
                             .is_removing = json_flag(record, STR("removing")) };
    const struct json *quotas = json_get(record, STR("quotas"));
    for (size_t i = 0; i < QUOTA_COUNT; i++)
        tenant.quota[i] = json_integer(quotas, str_of(quota_word((enum quota)i)));
    *ret_tenant = tenant;
    return ST_OK;
}
