/* runtime/access/change_trust.c — providers, trusted keys and key pairs, as cyoda's calls manage them.
 *
 * Providers and trusted keys belong to a tenant, and its admins change them; for others they are not there.
 * Key pairs sign the tokens of all tenants, so admins of all tenants change them.
 *
 * A provider that is invalidated counts no more, and neither do its tokens. A key counts in its window. To
 * invalidate one ends its window, now or after a grace period, and makes it inactive: it signs nothing then.
 */
#include "runtime/access/access_int.h"

#include "base/must.h"

/* One change and the record that it is about. */
struct trust {
    struct changes *changes;
    const struct access_change *change;
    int32_t tenant; /* TENANT_ANY: a key pair's. */
    str key;
    const struct json *old; /* NULL: there is none, or it is damaged. */
    bool there;
};

static const char *missing_code(enum access_kind kind)
{
    if (kind == ACCESS_PROVIDER) return "OIDC_PROVIDER_NOT_FOUND";
    return kind == ACCESS_TRUSTED ? "TRUSTED_KEY_NOT_FOUND" : "KEYPAIR_NOT_FOUND";
}

static enum status fail_missing(const struct trust *trust, struct error *err)
{
    enum access_kind kind = trust->change->kind;
    fail(err, ST_NOT_FOUND, "", "there is no %s “%.*s”", access_kind_word(kind),
         STR_ARG(trust->change->name));
    err->code = missing_code(kind);
    return ST_NOT_FOUND;
}

/* ---- writing ---- */

static enum status put(struct trust *trust, const struct json *record, struct error *err)
{
    struct changes *changes = trust->changes;
    bool is_same = trust->old && json_equal(trust->old, record);
    TRY(access_record_check(trust->change->kind, record, err));
    changes_answer(changes, trust->change, trust->change->name, record, !trust->there, is_same);
    if (is_same) return ST_OK;
    changes->advances = true;
    return changes_put(changes,
                       (struct record_row){ .kind = access_rows_kind(trust->change->kind),
                                            .key = trust->key,
                                            .value = json_encoded(record) },
                       err);
}

static const struct json *set_time(struct changes *changes, const struct json *record, const char *member,
                                   int64_t ms)
{
    return access_record_set(record, member, json_of_int(changes->arena, ms), changes->arena);
}

/* ---- the others of the tenant ---- */

struct others {
    struct trust *trust;
    str uri;      /* A provider's. */
    size_t count; /* So many of them count. */
    bool has_same;
};

static bool still_counts(const struct json *record, int64_t now_ms)
{
    int64_t to_ms = access_rows_time(record, STR("validTo"));
    return json_flag(record, STR("active")) && (!to_ms || to_ms > now_ms);
}

static enum status look_at_other(void *context, const struct record_row *row, bool *ret_stop,
                                 struct error *err)
{
    struct others *others = context;
    struct trust *trust = others->trust;
    enum access_kind kind = trust->change->kind;
    const struct json *record = access_rows_decode(kind, row->value, trust->changes->arena);
    (void)ret_stop, (void)err;
    if (str_equal(row->key, trust->key) || !record) return ST_OK;
    others->has_same |= others->uri.n && str_equal(json_text(record, STR("wellKnownConfigUri")), others->uri);
    others->count += kind == ACCESS_PROVIDER || still_counts(record, trust->changes->turn->now_ms);
    return ST_OK;
}

static str prefix_of(const struct trust *trust)
{
    return trust->tenant == TENANT_ANY ? STR_NONE
                                       : access_rows_number_key(trust->tenant, trust->changes->arena);
}

static enum status look_at_others(struct others *others, struct error *err)
{
    const struct trust *trust = others->trust;
    return changes_each(trust->changes, TENANT_ANY, access_rows_kind(trust->change->kind), prefix_of(trust),
                        look_at_other, others, err);
}

/* ---- the end of keys ---- */

static const struct json *ended(struct changes *changes, const struct json *record, int64_t grace_ms)
{
    int64_t to_ms = access_rows_time(record, STR("validTo")), end_ms = changes->turn->now_ms + grace_ms;
    if (!to_ms || to_ms > end_ms) record = set_time(changes, record, "validTo", end_ms);
    return access_record_set(record, "active", json_of_bool(false), changes->arena);
}

/* Ends a key before a new one: a trusted key's in its tenant, a key pair's with its audience. */
static enum status end_other(void *context, const struct record_row *row, bool *ret_stop, struct error *err)
{
    struct trust *trust = context;
    const struct access_change *change = trust->change;
    const struct json *record = access_rows_decode(change->kind, row->value, trust->changes->arena);
    (void)ret_stop;
    if (str_equal(row->key, trust->key) || !record || !json_flag(record, STR("active"))) return ST_OK;
    bool fits = change->kind == ACCESS_TRUSTED ||
                str_equal(json_text(record, STR("audience")), json_text(change->object, STR("audience")));
    if (!fits) return ST_OK;
    struct record_row row_after = *row;
    row_after.value = json_encoded(ended(trust->changes, record, change->grace_ms));
    return changes_put(trust->changes, row_after, err);
}

static enum status end_others(struct trust *trust, struct error *err)
{
    return changes_each(trust->changes, TENANT_ANY, access_rows_kind(trust->change->kind), prefix_of(trust),
                        end_other, trust, err);
}

/* ---- making and changing ---- */

static enum status check_room(const struct others *others, struct error *err)
{
    enum access_kind kind = others->trust->change->kind;
    if (others->has_same)
        return fail_code(err, ST_INVALID, "OIDC_PROVIDER_DUPLICATE",
                         "the tenant has a provider with this wellKnownConfigUri already");
    if (kind == ACCESS_PROVIDER && others->count >= PROVIDERS_MAX)
        return fail(err, ST_INVALID, "", "a tenant has at most %d providers (PROVIDERS_MAX)", PROVIDERS_MAX);
    if (kind == ACCESS_TRUSTED && others->count >= TRUSTED_KEYS_MAX)
        return fail_code(err, ST_INVALID, "TRUSTED_KEY_CAP_REACHED",
                         "a tenant has at most %d trusted keys that count (TRUSTED_KEYS_MAX)",
                         TRUSTED_KEYS_MAX);
    if (kind == ACCESS_KEY_PAIR && others->count >= KEY_PAIRS_MAX)
        return fail(err, ST_INVALID, "", "there are at most %d key pairs that count (KEY_PAIRS_MAX)",
                    KEY_PAIRS_MAX);
    return ST_OK;
}

/* The record that the object makes, with the tenant that it belongs to. */
static enum status make(struct trust *trust, const struct json *old, const struct json **ret_record,
                        struct error *err)
{
    str tenant;
    TRY(changes_make(trust->changes, trust->change, old, ret_record, err));
    if (trust->tenant == TENANT_ANY) return ST_OK;
    TRY(change_tenant_name(trust->changes, trust->tenant, &tenant, err));
    *ret_record = access_record_set(*ret_record, "tenant", json_of_string(trust->changes->arena, tenant),
                                    trust->changes->arena);
    return ST_OK;
}

static enum status create(struct trust *trust, struct error *err)
{
    const struct access_change *change = trust->change;
    struct others others = { .trust = trust, .uri = json_text(change->object, STR("wellKnownConfigUri")) };
    const struct json *record;
    TRY(make(trust, NULL, &record, err));
    TRY(look_at_others(&others, err));
    if (!change->invalidates_others) TRY(check_room(&others, err));
    else TRY(end_others(trust, err));
    return put(trust, record, err);
}

static enum status change_provider(struct trust *trust, struct error *err)
{
    const struct json *record;
    if (json_get(trust->old, STR("invalidatedAt")))
        return fail_code(err, ST_CONFLICT, "OIDC_PROVIDER_INACTIVE",
                         "the provider is invalidated; reactivate it first");
    TRY(make(trust, trust->old, &record, err));
    return put(trust, record, err);
}

/* ---- whether they count ---- */

/* The first key has no record before somebody changes it: the object has its members then. */
static enum status need_record(struct trust *trust, const struct json **ret_record, struct error *err)
{
    *ret_record = trust->old;
    if (trust->old) return ST_OK;
    if (trust->change->kind == ACCESS_KEY_PAIR && json_get(trust->change->object, STR("publicKey")))
        return make(trust, NULL, ret_record, err);
    return fail_missing(trust, err);
}

static enum status invalidate(struct trust *trust, struct error *err)
{
    struct changes *changes = trust->changes;
    const struct json *record;
    TRY(need_record(trust, &record, err));
    if (trust->change->kind != ACCESS_PROVIDER)
        return put(trust, ended(changes, record, trust->change->grace_ms), err);
    if (!json_get(record, STR("invalidatedAt")))
        record = set_time(changes, record, "invalidatedAt", changes->turn->now_ms);
    return put(trust, record, err);
}

static enum status reactivate_key(struct trust *trust, const struct json *record, struct error *err)
{
    struct arena *arena = trust->changes->arena;
    const struct json *object = trust->change->object;
    struct others others = { .trust = trust };
    TRY(look_at_others(&others, err));
    TRY(check_room(&others, err));
    record = access_record_set(record, "validFrom", json_get(object, STR("validFrom")), arena);
    record = access_record_set(record, "validTo", json_get(object, STR("validTo")), arena);
    return put(trust, access_record_set(record, "active", json_of_bool(true), arena), err);
}

static enum status reactivate(struct trust *trust, struct error *err)
{
    const struct json *record;
    TRY(need_record(trust, &record, err));
    if (trust->change->kind != ACCESS_PROVIDER) return reactivate_key(trust, record, err);
    return put(trust, json_without(trust->changes->arena, record, STR("invalidatedAt")), err);
}

static enum status remove_it(struct trust *trust, struct error *err)
{
    struct changes *changes = trust->changes;
    if (!trust->there) return fail_missing(trust, err);
    changes->advances = true;
    changes_answer(changes, trust->change, trust->change->name, NULL, false, false);
    return changes_remove(changes, TENANT_ANY, access_rows_kind(trust->change->kind), trust->key, err);
}

/* ---- the change ---- */

static enum status find(struct trust *trust, struct error *err)
{
    enum access_kind kind = trust->change->kind;
    struct arena *arena = trust->changes->arena;
    str value;
    bool is_global = kind == ACCESS_KEY_PAIR;
    trust->tenant = is_global ? TENANT_ANY : trust->changes->call->ns;
    must(is_global || trust->tenant > TENANT_ANY);
    TRY(changes_check_admin(trust->changes, trust->tenant, err));
    TRY(access_check_name(kind, trust->change->name, err));
    trust->key =
        is_global ? trust->change->name : access_rows_of_tenant(trust->tenant, trust->change->name, arena);
    TRY(found_asked(changes_find(trust->changes, TENANT_ANY, access_rows_kind(kind), trust->key, &value, err),
                    &trust->there));
    trust->old = trust->there ? access_rows_decode(kind, value, arena) : NULL;
    return ST_OK;
}

enum status change_trust(struct changes *changes, const struct access_change *change, struct error *err)
{
    struct trust trust = { .changes = changes, .change = change };
    TRY(find(&trust, err));
    switch (change->action) {
    case ACCESS_CREATE:
    case ACCESS_PUT: return create(&trust, err);
    case ACCESS_CHANGE:
        if (change->kind != ACCESS_PROVIDER) return changes_refuse_action(change, err);
        return trust.old ? change_provider(&trust, err) : fail_missing(&trust, err);
    case ACCESS_INVALIDATE: return invalidate(&trust, err);
    case ACCESS_REACTIVATE: return reactivate(&trust, err);
    case ACCESS_REMOVE: return remove_it(&trust, err);
    default: return changes_refuse_action(change, err);
    }
}
