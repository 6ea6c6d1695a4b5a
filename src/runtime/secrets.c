/* runtime/secrets.c — secrets as rows of the store.
 *
 * A row is a record: the name → the times when it was made and changed, and the sealed value (vault/vault.h).
 * A command writes rows in its turn's transaction. The vault, from which other threads read, hears of them
 * only when they have committed; until then the turn remembers what it has to tell (struct secret_change).
 *
 * A rekey seals every row again in one transaction. vault/vault.h says why a crash at any moment of it loses
 * nothing. One more record names the key that seals. A call that sets a secret reads it, and a rekey writes
 * it. So two nodes that do both at the same moment conflict, and no row is sealed with a key that has been
 * replaced.
 */
#include "runtime/runtime_int.h"

#include "base/log.h"
#include "base/must.h"
#include "base/read.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

enum { ROWS_AT_ONCE = 100 };

/* ---- rows ---- */

struct secret_row {
    int64_t created_ms, updated_ms;
    str sealed;
};

static str encode_row(const struct secret_row *row, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    buf_add_varint(&out, (uint64_t)row->created_ms);
    buf_add_varint(&out, (uint64_t)row->updated_ms);
    buf_add_text(&out, row->sealed);
    return buf_str(&out);
}

/* Damaged times are 0 and a damaged value is empty, which no key opens. */
static struct secret_row decode_row(str bytes)
{
    struct reader reader = { bytes.p, bytes.p + bytes.n, false };
    struct secret_row row = { .created_ms = (int64_t)read_varint(&reader) };
    row.updated_ms = (int64_t)read_varint(&reader);
    row.sealed = read_text(&reader);
    return reader.bad ? (struct secret_row){ 0 } : row;
}

static enum status no_vault(struct error *err)
{
    return fail(err, ST_CONFLICT, "secrets", "this engine has no vault");
}

/* Calls `take` for each row of all tenants, with its tenant and name. */
typedef enum status take_fn(void *context, const struct record_row *row, struct error *err);

static enum status each_row(struct engine *engine, struct arena *arena, take_fn *take, void *context,
                            struct error *err)
{
    struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_SECRET, .max = ROWS_AT_ONCE };
    struct record_row *row;
    size_t count;
    do {
        TRY(store_records(engine->store, &filter, arena, &row, &count, err));
        if (count) filter.after = row[count - 1].key;
        for (size_t i = 0; i < count; i++) {
            row[i].key = tenant_name(row[i].key, &row[i].ns);
            TRY(take(context, &row[i], err));
        }
    } while (count == ROWS_AT_ONCE);
    return ST_OK;
}

/* ---- the key that seals ---- */

static const str key_name = STR_INIT("key");

/* The vault seals with the key that the store names. ST_NOT_FOUND: it names none. */
static enum status use_named_key(struct engine *engine, struct vault *vault, struct arena *arena,
                                 struct error *err)
{
    struct record_row row;
    TRY(found_needed(
        store_find_record(engine->store, NAMESPACE_DEFAULT, RECORD_SECRET_KEY, key_name, arena, &row, err)));
    return vault_use_key(vault, row.value, err);
}

/* Writes which key seals from this transaction on. */
static enum status name_key(struct turn *turn, struct error *err)
{
    struct record_row row = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_SECRET_KEY, .key = key_name };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    TRY(vault_choose_key(turn->engine->secrets.vault, &turn->arena, &row.value, err));
    return transact_rows(turn, &changeset, err);
}

/* The named key may not be there: an engine of an older version has made a new one and named none, or the
 * file was removed after the last secret. The caller could open the secrets that there are, so their key
 * seals. */
static enum status agree_on_key(struct turn *turn, bool *ret_named, struct error *err)
{
    enum status status = use_named_key(turn->engine, turn->engine->secrets.vault, &turn->arena, err);
    *ret_named = status == ST_OK;
    bool known = status == ST_OK || status == ST_NOT_FOUND || status == ST_CONFLICT;
    return known ? ST_OK : transact_failed(turn, err);
}

/* ---- opening ---- */

struct opening {
    struct vault *vault;
    size_t opened, foreign;
    struct error why; /* The error of the first row with another key. */
};

static enum status open_row(void *context, const struct record_row *row, struct error *err)
{
    struct opening *opening = context;
    struct error why;
    (void)err;
    enum status status = vault_keep(opening->vault, row->ns, row->key, decode_row(row->value).sealed, &why);
    if (status == ST_OK) {
        opening->opened++;
        return ST_OK;
    }
    /* One bad row does not hold up the others. If no row opens, the key is wrong and the start fails. */
    if (status != ST_CONFLICT) log_write(LOG_ERROR, "a secret cannot be opened", "reason", why.message, NULL);
    else if (!opening->foreign++) opening->why = why;
    return ST_OK;
}

enum status secrets_open(struct engine *engine, struct vault *vault, struct error *err)
{
    struct opening opening = { .vault = vault };
    struct arena arena;
    arena_init(&arena, 0);
    vault_rows_begin(vault);
    enum status status = each_row(engine, &arena, open_row, &opening, err);
    if (status == ST_OK) status = use_named_key(engine, vault, &arena, err);
    /* A key that is not there is missed when a secret is to be opened or set. */
    if (status == ST_NOT_FOUND || status == ST_CONFLICT) status = ST_OK;
    arena_done(&arena);
    if (status == ST_OK && opening.foreign && !opening.opened) {
        *err = opening.why;
        status = opening.why.status;
    }
    if (status == ST_OK && opening.foreign)
        log_write(LOG_ERROR, "secrets cannot be opened", "reason", opening.why.message, NULL);
    if (status == ST_OK && !nodes_have_others(engine)) status = vault_settle_key(vault, err);
    engine->secrets.unread = status == ST_CONFLICT;
    if (status == ST_CONFLICT) engine->secrets.why = *err;
    if (status != ST_OK) return status; /* The vault's knowledge is the best that we have. */
    vault_rows_end(vault);
    metric_set(&engine->metrics->secrets, vault_kept_count(vault));
    return ST_OK;
}

/* ---- commands ---- */

/* Remembers what the vault is to be told when the transaction has committed. */
static void note_change(struct turn *turn, int32_t ns, str name, str sealed)
{
    struct secret_change *change = arena_make(&turn->arena, struct secret_change);
    *change = (struct secret_change){ .ns = ns, .name = arena_str(&turn->arena, name), .sealed = sealed };
    if (turn->last_secret) turn->last_secret->next = change;
    else turn->first_secret = change;
    turn->last_secret = change;
}

static enum status put_row(struct turn *turn, int32_t ns, str name, const struct secret_row *row,
                           struct error *err)
{
    must(ns >=
         TENANT_ANY); /* The engine's own secrets, such as the key that signs tokens, are of no tenant. */
    const struct record_row record = { .ns = NAMESPACE_DEFAULT,
                                       .kind = RECORD_SECRET,
                                       .key = tenant_key(ns, name, &turn->arena),
                                       .value = encode_row(row, &turn->arena) };
    struct changeset changeset = { .record_put = &record, .record_put_count = 1 };
    TRY(transact_rows(turn, &changeset, err));
    note_change(turn, ns, name, row->sealed);
    return ST_OK;
}

static struct found find_row(struct turn *turn, int32_t ns, str name, struct record_row *ret_row,
                             struct error *err)
{
    return store_find_record(turn->engine->store, NAMESPACE_DEFAULT, RECORD_SECRET,
                             tenant_key(ns, name, &turn->arena), &turn->arena, ret_row, err);
}

/* Without the key of the rows that there are, we would seal with another one. */
static enum status refuse_unread(const struct engine *engine, struct error *err)
{
    if (!engine->secrets.unread) return ST_OK;
    return fail(err, ST_CONFLICT, "secrets", "%s", engine->secrets.why.message);
}

/* A row of the same name would never be read. Given secrets are the default tenant's. */
static enum status refuse_given(const struct engine *engine, int32_t ns, str name, struct error *err)
{
    enum vault_source source;
    if (ns != NAMESPACE_DEFAULT || !vault_is_given(engine->secrets.vault, name, &source)) return ST_OK;
    return fail(err, ST_CONFLICT, "name", "the secret \"%.*s\" comes from %s and can only be changed there",
                STR_ARG(name), vault_source_meaning(source));
}

static void answer_row(struct call *call, str name, const struct secret_row *row, bool is_new)
{
    struct answer_secrets *answer = &call->value.secrets;
    answer->view = arena_make(call->arena, struct secret_view);
    answer->count = 1;
    answer->is_new = is_new;
    *answer->view = (struct secret_view){ .name = arena_str(call->arena, name),
                                          .source = VAULT_STORE,
                                          .created_ms = row->created_ms,
                                          .updated_ms = row->updated_ms };
}

/* Rows that the running transaction has added are not in the vault yet. */
static size_t count_rows(const struct turn *turn)
{
    size_t count = vault_kept_count(turn->engine->secrets.vault);
    for (const struct secret_change *change = turn->first_secret; change; change = change->next)
        count += change->sealed.n > 0;
    return count;
}

enum status secrets_set_call(struct turn *turn, struct call *call, struct error *err)
{
    struct engine *engine = turn->engine;
    str name = call->as.secret.name;
    if (!engine->secrets.vault) return no_vault(err);
    TRY(vault_check_name(name, err));
    TRY(vault_check_value(call->as.secret.value, err));
    TRY(refuse_given(engine, call->ns, name, err));
    TRY(refuse_unread(engine, err));
    struct record_row before;
    struct found found = find_row(turn, call->ns, name, &before, err);
    if (found_is(found) == NOT_NOW) return transact_failed(turn, err);
    bool is_new = found_is(found) == NOT_THERE;
    if (is_new && count_rows(turn) >= (size_t)engine->limits.secrets_max)
        return fail(err, ST_LIMIT, "secrets", "there are %lld secrets already (secrets_max)",
                    (long long)engine->limits.secrets_max);
    struct secret_row row = { .created_ms = turn->now_ms, .updated_ms = turn->now_ms };
    if (!is_new && decode_row(before.value).created_ms) row.created_ms = decode_row(before.value).created_ms;
    bool named;
    TRY(agree_on_key(turn, &named, err));
    if (!named) TRY(name_key(turn, err));
    TRY(vault_seal(engine->secrets.vault, call->ns, name, call->as.secret.value, &turn->arena, &row.sealed,
                   err));
    TRY(put_row(turn, call->ns, name, &row, err));
    answer_row(call, name, &row, is_new);
    return ST_OK;
}

enum status secrets_remove_call(struct turn *turn, struct call *call, struct error *err)
{
    struct engine *engine = turn->engine;
    str name = call->as.secret.name;
    if (!engine->secrets.vault) return no_vault(err);
    struct record_row row;
    struct found found = find_row(turn, call->ns, name, &row, err);
    if (found_is(found) == NOT_THERE) {
        TRY(refuse_given(engine, call->ns, name, err));
        return fail(err, ST_NOT_FOUND, "name", "there is no secret \"%.*s\"", STR_ARG(name));
    }
    if (found_is(found) == NOT_NOW) return transact_failed(turn, err);
    struct changeset changeset = { .record_remove = &row, .record_remove_count = 1 };
    TRY(transact_rows(turn, &changeset, err));
    note_change(turn, call->ns, name, STR_NONE);
    return ST_OK;
}

enum status secrets_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_SECRET,
                                          .prefix = tenant_qualify(ns, STR_NONE, &turn->arena),
                                          .max = max };
    struct record_row *row;
    must(ns > TENANT_DEFAULT);
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, ret_count, err));
    struct changeset changeset = { .record_remove = row, .record_remove_count = *ret_count };
    if (*ret_count) TRY(transact_rows(turn, &changeset, err));
    for (size_t i = 0; turn->engine->secrets.vault && i < *ret_count; i++)
        note_change(turn, ns, str_slice(row[i].key, filter.prefix.n, row[i].key.n), STR_NONE);
    return ST_OK;
}

/* ---- another key ---- */

struct resealing {
    struct turn *turn;
    size_t count;
};

static enum status reseal_row(void *context, const struct record_row *record, struct error *err)
{
    struct resealing *resealing = context;
    struct turn *turn = resealing->turn;
    struct secret_row row = decode_row(record->value);
    struct error why;
    if (vault_reseal(turn->engine->secrets.vault, record->ns, record->key, row.sealed, &turn->arena,
                     &row.sealed, &why) != ST_OK) {
        /* Nothing opens it, so no key can seal it again. It stays as it is. */
        log_write(LOG_ERROR, "a secret cannot be opened", "reason", why.message, NULL);
        return ST_OK;
    }
    TRY(put_row(turn, record->ns, record->key, &row, err));
    resealing->count++;
    return ST_OK;
}

enum status secrets_rekey_call(struct turn *turn, struct call *call, struct error *err)
{
    struct resealing resealing = { .turn = turn };
    if (!turn->engine->secrets.vault) return no_vault(err);
    TRY(refuse_unread(turn->engine, err));
    TRY(transact_begin(turn, err));
    if (turn->rekeys) return ST_OK; /* The key is new as of this very transaction. */
    bool named;
    TRY(agree_on_key(turn, &named, err));
    TRY(vault_rekey_begin(turn->engine->secrets.vault, err));
    turn->rekeys = true;
    enum status status = name_key(turn, err);
    if (status == ST_OK) status = each_row(turn->engine, &turn->arena, reseal_row, &resealing, err);
    if (status == ST_OK) status = vault_rekey_check(turn->engine->secrets.vault, err);
    /* Some rows may be of the next key by now, and it is all of them or none. */
    if (status != ST_OK) return transact_failed(turn, err);
    call->value.secrets.resealed = resealing.count;
    return ST_OK;
}

/* ---- the end of a transaction ---- */

static void tell_vault(struct turn *turn)
{
    struct vault *vault = turn->engine->secrets.vault;
    struct error err;
    for (const struct secret_change *change = turn->first_secret; change; change = change->next) {
        if (!change->sealed.n) vault_forget(vault, change->ns, change->name);
        else if (vault_keep(vault, change->ns, change->name, change->sealed, &err) != ST_OK)
            log_write(LOG_ERROR, "a secret cannot be opened", "reason", err.message, NULL);
    }
    if (turn->rekeys && vault_rekey_commit(vault, &err) != ST_OK)
        log_write(LOG_ERROR, "the key file of secrets cannot be replaced; the next start does it", "reason",
                  err.message, NULL);
    if (turn->rekeys) log_write(LOG_INFO, "secrets have a new key", NULL);
    metric_set(&turn->engine->metrics->secrets, vault_kept_count(vault));
}

void secrets_end(struct turn *turn, bool committed)
{
    if (turn->first_secret || turn->rekeys) {
        if (committed) tell_vault(turn);
        /* If nobody knows whether the rows have committed, both keys must stay. */
        else if (turn->rekeys && !turn->engine->broken) vault_rekey_rollback(turn->engine->secrets.vault);
    }
    turn->first_secret = turn->last_secret = NULL;
    turn->rekeys = false;
}

/* ---- tests ---- */

/* The name of the engine's own mail server is that of no secret. */
enum status secrets_test_call(struct turn *turn, struct call *call, struct error *err)
{
    str name = call->as.secret.name;
    struct vault *vault = turn->engine->secrets.vault;
    if (str_equal(name, STR(CONNECTION_OWN_MAIL)) ||
        (vault && vault_has(vault, call->ns, name, &turn->arena)))
        return ST_OK;
    return fail(err, ST_NOT_FOUND, "name", "there is no secret \"%.*s\"", STR_ARG(name));
}

/* ---- lists, on the query thread ---- */

/* Given secrets come first, all of them on the first page. */
static size_t list_given(const struct query *query, struct call *call, const struct sight *sight)
{
    struct answer_secrets *answer = &call->value.secrets;
    struct vault_given *given = NULL;
    size_t kept = 0, count = query->vault && call->ns == NAMESPACE_DEFAULT && !call->as.secrets.after.n
                                 ? vault_list_given(query->vault, call->arena, &given)
                                 : 0;
    answer->view = arena_make_n(call->arena, struct secret_view, count + call->as.secrets.max);
    for (size_t i = 0; i < count; i++)
        if (sight_has(sight, given[i].name))
            answer->view[kept++] = (struct secret_view){ .name = given[i].name, .source = given[i].source };
    return kept;
}

/* The keys of other tenants begin with a mark, and come before all names. */
static struct record_filter listed_after(const struct call *call)
{
    static const str behind_marks = STR_INIT("\3");
    struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_SECRET };
    str after = call->as.secrets.after;
    if (call->ns == NAMESPACE_DEFAULT) {
        filter.after = str_compare(after, behind_marks) < 0 ? behind_marks : after;
    } else {
        filter.prefix = tenant_key(call->ns, STR_NONE, call->arena);
        if (after.n) filter.after = tenant_key(call->ns, after, call->arena);
    }
    filter.max = call->as.secrets.max;
    return filter;
}

static void take_secret(const struct query *query, struct call *call, const struct record_row *row, str name)
{
    struct answer_secrets *answer = &call->value.secrets;
    struct secret_row times = decode_row(row->value);
    enum vault_source given;
    answer->view[answer->count++] = (struct secret_view){
        .name = name,
        .source = VAULT_STORE,
        .created_ms = times.created_ms,
        .updated_ms = times.updated_ms,
        .overridden =
            call->ns == NAMESPACE_DEFAULT && query->vault && vault_is_given(query->vault, name, &given),
    };
}

/* Secrets that the caller may not see are left out, so a page may take several reads. */
enum status secrets_list(struct query *query, struct call *call, struct error *err)
{
    struct answer_secrets *answer = &call->value.secrets;
    const struct sight sight = sight_of(call);
    struct record_filter filter = listed_after(call);
    struct record_row *row;
    size_t count, taken = 0;
    answer->count = list_given(query, call, &sight);
    do {
        filter.max = call->as.secrets.max - taken;
        TRY(reader_records(query->reader, &filter, call->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) {
            int32_t ns;
            str name = tenant_name(row[i].key, &ns);
            if (!sight_has(&sight, name)) continue;
            take_secret(query, call, &row[i], name);
            taken++;
        }
        if (count) filter.after = row[count - 1].key;
    } while (count && count == filter.max && taken < call->as.secrets.max);
    answer->more = taken == call->as.secrets.max;
    return ST_OK;
}
