/* cli/access/door.c — the calls about access, at an engine or in a store. */
#include "cli/access/door.h"

#include "access/secret/password.h"
#include "base/datetime.h"
#include "cli/access/opened_store.h"
#include "cli/output.h"

int door_open(struct door *door, const struct options *options)
{
    struct error err;
    *door = (struct door){ .options = options, .arena = options->arena };
    door->client = (struct client){ .options = options, .arena = options->arena };
    if (!option_text(options, OPTION_ACCESS_STORE).n) return client_open(&door->client, options);
    return opened_store_new(options, &door->store, &err) == ST_OK ? 0 : output_fail(&err);
}

void door_close(struct door *door)
{
    opened_store_free(door->store);
    client_close(&door->client);
}

const struct json *door_answer(const struct door *door) { return door->client.answer; }

/* ---- answers of a store ---- */

static void set_answer(struct door *door, const struct json *answer)
{
    struct buf text;
    buf_init(&text, door->arena);
    if (answer) json_print(answer, &text);
    door->client.answer = answer;
    door->client.text = buf_str(&text);
}

static int finish(struct door *door, enum status status, const struct json *answer, const struct error *err)
{
    if (status != ST_OK) return output_fail(err);
    set_answer(door, answer);
    return 0;
}

/* Makes one change. The answer is the record; with the new `key`, if there is one. */
static int change_stored(struct door *door, struct access_change *change, str key)
{
    const struct json *answer = NULL;
    struct error err;
    enum status status = opened_store_change(door->store, change, 1, false, &answer, &err);
    if (status != ST_OK) return output_fail(&err);
    const struct json *record = json_get(json_item(json_get(answer, STR("items")), 0), STR("record"));
    if (!json_is(record, JSON_OBJECT)) record = NULL;
    if (key.n) record = json_set(door->arena, record, STR("key"), json_of_string(door->arena, key));
    set_answer(door, record);
    return 0;
}

/* ---- requests to an engine ---- */

static str print(struct door *door, const struct json *body)
{
    struct buf text;
    buf_init(&text, door->arena);
    json_print(body, &text);
    return buf_str(&text);
}

static str path_of(struct door *door, enum access_kind kind, str name)
{
    const char *words = access_kind_words(kind);
    if (!name.n) return arena_printf(door->arena, "/api/%s", words);
    return client_path(&door->client, arena_printf(door->arena, "/api/%s/{}", words).p, &name);
}

static int post_to(struct door *door, enum access_kind kind, str name, const char *what,
                   const struct json *body)
{
    str path = path_of(door, kind, name);
    path = arena_printf(door->arena, "%.*s/%s", STR_ARG(path), what);
    return client_post(&door->client, path, body ? print(door, body) : STR_NONE, 0);
}

/* ---- records ---- */

int door_get(struct door *door, enum access_kind kind, str name)
{
    struct error err;
    const struct json *answer = NULL;
    if (!door->store) return client_get(&door->client, path_of(door, kind, name));
    const struct call_access_list asked = {
        .kind = kind, .name = name, .max = 1, .with_usage = kind == ACCESS_TENANT
    };
    enum status status = opened_store_list(door->store, &asked, &answer, &err);
    return finish(door, status, json_item(json_get(answer, STR("items")), 0), &err);
}

int door_list(struct door *door, enum access_kind kind, str of)
{
    struct error err;
    const struct json *answer = NULL;
    if (!door->store) {
        str path = client_with(&door->client, path_of(door, kind, STR_NONE), "to", of);
        path = client_with(&door->client, path, "pageSize", option_text(door->options, OPTION_ROWS));
        return client_get(&door->client, path);
    }
    const struct call_access_list asked = { .kind = kind,
                                            .with_usage = kind == ACCESS_TENANT,
                                            .of = of,
                                            .max = (size_t)option_number(door->options, OPTION_ROWS) };
    enum status status = opened_store_list(door->store, &asked, &answer, &err);
    return finish(door, status, answer, &err);
}

/* Hashes the password of a user, which the record does not have. */
static enum status take_password(struct door *door, struct access_change *change, str password,
                                 struct error *err)
{
    if (!password.n) return ST_OK;
    TRY(password_check(password, change->name, err));
    char hash[PASSWORD_HASH_BYTES_MAX];
    TRY(password_hash(password, hash, err));
    change->secret = arena_str(door->arena, str_of(hash));
    return ST_OK;
}

static int create_user(struct door *door, const struct json *object)
{
    struct access_change change = { .kind = ACCESS_USER, .action = ACCESS_CREATE };
    struct error err;
    change.name = json_text(object, STR("name"));
    change.object = json_without(door->arena, object, STR("password"));
    if (take_password(door, &change, json_text(object, STR("password")), &err) != ST_OK)
        return output_fail(&err);
    return change_stored(door, &change, STR_NONE);
}

static int create_key(struct door *door, const struct json *object)
{
    struct access_change change = { .kind = ACCESS_KEY, .action = ACCESS_CREATE, .object = object };
    str key = key_make(door->arena, &change.name);
    change.hash = credential_hash(key);
    return change_stored(door, &change, key);
}

int door_create(struct door *door, enum access_kind kind, const struct json *object)
{
    if (!door->store)
        return client_post(&door->client, path_of(door, kind, STR_NONE), print(door, object), 0);
    if (kind == ACCESS_USER) return create_user(door, object);
    if (kind == ACCESS_KEY) return create_key(door, object);
    struct access_change change = { .kind = kind, .action = ACCESS_CREATE, .object = object };
    if (kind != ACCESS_GRANT) change.name = json_text(object, STR("name"));
    return change_stored(door, &change, STR_NONE);
}

int door_change(struct door *door, enum access_kind kind, str name, const struct json *object)
{
    if (!door->store) return client_patch(&door->client, path_of(door, kind, name), print(door, object));
    struct access_change change = { .kind = kind, .action = ACCESS_CHANGE, .name = name, .object = object };
    return change_stored(door, &change, STR_NONE);
}

int door_remove(struct door *door, enum access_kind kind, str name, bool with_everything)
{
    if (door->store) {
        struct access_change change = {
            .kind = kind, .action = ACCESS_REMOVE, .name = name, .with_everything = with_everything
        };
        return change_stored(door, &change, STR_NONE);
    }
    str path = path_of(door, kind, name);
    if (with_everything) path = client_with(&door->client, path, "with", STR("everything"));
    if (with_everything) path = client_with(&door->client, path, "confirm", name);
    return client_delete(&door->client, path);
}

int door_rotate(struct door *door, str id)
{
    if (!door->store) return post_to(door, ACCESS_KEY, id, "rotate", NULL);
    struct access_change change = { .kind = ACCESS_KEY, .action = ACCESS_ROTATE, .name = id };
    struct error err;
    str key;
    if (key_remake(door->arena, id, &key, &err) != ST_OK) return output_fail(&err);
    change.hash = credential_hash(key);
    return change_stored(door, &change, key);
}

int door_password(struct door *door, str user, str old, str password)
{
    struct access_change change = { .kind = ACCESS_USER, .action = ACCESS_PASSWORD, .name = user };
    struct error err;
    if (!door->store) {
        const struct json *body = json_set(door->arena, json_empty_object(), STR("password"),
                                           json_of_string(door->arena, password));
        if (old.n) body = json_set(door->arena, body, STR("oldPassword"), json_of_string(door->arena, old));
        return post_to(door, ACCESS_USER, user, "password", body);
    }
    if (take_password(door, &change, password, &err) != ST_OK) return output_fail(&err);
    return change_stored(door, &change, STR_NONE);
}

/* ---- the audit ---- */

static str time_text(struct door *door, int64_t ms)
{
    char text[DATETIME_CHARS + 1];
    if (!ms) return STR_NONE;
    datetime_print(ms, text);
    return arena_str(door->arena, str_of(text));
}

int door_audit(struct door *door, const struct call_audit_rows *asked)
{
    struct error err;
    const struct json *answer = NULL;
    if (door->store) {
        enum status status = opened_store_audit(door->store, asked, &answer, &err);
        return finish(door, status, answer, &err);
    }
    const struct {
        const char *name;
        str value;
    } filter[] = { { "principal", asked->principal },
                   { "action", asked->action },
                   { "object", asked->object },
                   { "outcome", asked->outcome },
                   { "since", time_text(door, asked->since_ms) },
                   { "until", time_text(door, asked->until_ms) },
                   { "cursor", asked->before },
                   { "pageSize", arena_printf(door->arena, "%zu", asked->max) } };
    str path = STR("/api/audit");
    for (size_t i = 0; i < COUNT(filter); i++)
        path = client_with(&door->client, path, filter[i].name, filter[i].value);
    return client_get(&door->client, path);
}

int door_verify(struct door *door)
{
    struct error err;
    const struct json *answer = NULL;
    if (!door->store) return client_post(&door->client, STR("/api/audit/verify"), STR_NONE, 0);
    enum status status = opened_store_verify(door->store, &answer, &err);
    return finish(door, status, answer, &err);
}
