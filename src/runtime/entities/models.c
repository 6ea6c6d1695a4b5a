/* runtime/entities/models.c — models as records: read, imported, locked, removed, indexed. */
#include "runtime/entities/models.h"

#include "base/must.h"
#include "dialect/entity/entity.h"
#include "runtime/call/call.h"
#include "runtime/definitions/definitions.h"
#include "runtime/entities/entities_int.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"
#include "source/source.h"

/* ---- the record ---- */

str model_key(str name, int32_t version, struct arena *arena)
{
    return entity_definition_id(name, version, arena);
}

/* All but its schema. */
static bool decode_head(const struct json *value, struct model *ret_model)
{
    if (!json_is(value, JSON_OBJECT)) return false;
    const struct json *workflows = json_get(value, STR("workflows"));
    *ret_model = (struct model){
        .name = json_text(value, STR("name")),
        .version = (int32_t)json_integer(value, STR("version")),
        .revision = (uint32_t)json_integer(value, STR("revision")),
        .is_locked =
            json_is(json_get(value, STR("locked")), JSON_BOOL) && json_bool(json_get(value, STR("locked"))),
        .updated_ms = json_integer(value, STR("updated")),
        .workflows = json_is(workflows, JSON_ARRAY) ? workflows : NULL,
    };
    str level = json_text(value, STR("level"));
    return !level.n || model_level_find(level, &ret_model->level);
}

static bool decode(const struct record_row *row, struct arena *arena, struct model *ret_model)
{
    const struct json *value = json_decode(row->value, arena);
    struct error err;
    return decode_head(value, ret_model) &&
           model_decode(json_get(value, STR("schema")), arena, &ret_model->schema, &err) == ST_OK;
}

bool model_decode_summary(const struct record_row *row, struct arena *scratch, struct arena *arena,
                          struct model *ret_model)
{
    if (!decode_head(json_decode(row->value, scratch), ret_model)) return false;
    ret_model->name = arena_str(arena, ret_model->name);
    ret_model->workflows = NULL;
    return true;
}

static str encode(const struct model *model, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("name"));
    json_add_string(&builder, model->name);
    json_add_name(&builder, STR("version"));
    json_add_int(&builder, model->version);
    json_add_name(&builder, STR("revision"));
    json_add_int(&builder, model->revision);
    json_add_name(&builder, STR("locked"));
    json_add_bool(&builder, model->is_locked);
    json_add_name(&builder, STR("level"));
    json_add_string(&builder, str_of(model_level_name(model->level)));
    json_add_name(&builder, STR("updated"));
    json_add_int(&builder, model->updated_ms);
    json_add_name(&builder, STR("schema"));
    json_add(&builder, model_encode(model->schema, arena));
    json_add_name(&builder, STR("workflows"));
    json_add(&builder, model->workflows);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static enum status fail_unknown(str name, int32_t version, struct error *err)
{
    fail_code(err, ST_NOT_FOUND, "MODEL_NOT_FOUND", "there is no model \"%.*s\" of version %d", STR_ARG(name),
              (int)version);
    entity_error_add_model(err, name, version);
    return ST_NOT_FOUND;
}

enum status models_fail_state(const struct model *model, const char *code, const char *why, struct error *err)
{
    fail_code(err, ST_CONFLICT, code, "the model \"%.*s\" %s", STR_ARG(model->name), why);
    entity_error_add_model(err, model->name, model->version);
    entity_error_add(err, "expectedState", model->is_locked ? STR("UNLOCKED") : STR("LOCKED"));
    entity_error_add(err, "actualState", model->is_locked ? STR("LOCKED") : STR("UNLOCKED"));
    return ST_CONFLICT;
}

static struct found take(struct found found, const struct record_row *row, str name, int32_t version,
                         struct arena *arena, struct model *ret_model, struct error *err)
{
    if (found_is(found) == NOT_THERE) return found_of(fail_unknown(name, version, err));
    TRY_FOUND(found);
    if (decode(row, arena, ret_model)) return found_of(ST_OK);
    return found_of(fail(err, ST_STORE, "model", "the stored model \"%.*s\" is damaged", STR_ARG(name)));
}

/* Reads a model that is not in the cache, and puts it there. */
static struct found load(struct turn *turn, int32_t ns, str key, str name, int32_t version,
                         struct model *ret_model, struct error *err)
{
    struct cached_model *entry = model_cache_new(tenant_key(ns, key, &turn->arena));
    struct record_row row;
    struct found found =
        store_find_record(turn->engine->store, ns, RECORD_MODEL, key, &entry->arena, &row, err);
    /* A large model is expensive to read: its writes must not hold up others. */
    if (found_is(found) == FOUND) turn->spent += (int64_t)(row.value.n / STATE_BYTES_PER_FUEL);
    found = take(found, &row, name, version, &entry->arena, &entry->model, err);
    if (found_is(found) != FOUND) {
        model_cache_free(entry);
        return found;
    }
    model_cache_add(&turn->engine->memory.models, entry);
    *ret_model = entry->model;
    return found;
}

struct found models_find(struct turn *turn, int32_t ns, str name, int32_t version, struct model *ret_model,
                         struct error *err)
{
    str key = model_key(name, version, &turn->arena);
    const struct model *known =
        model_cache_find(&turn->engine->memory.models, tenant_key(ns, key, &turn->arena));
    if (!known) return load(turn, ns, key, name, version, ret_model, err);
    *ret_model = *known;
    return found_of(ST_OK);
}

struct found models_read(struct store_reader *reader, int32_t ns, str name, int32_t version,
                         struct arena *arena, struct model *ret_model, struct error *err)
{
    struct record_row row;
    struct found found =
        reader_find_record(reader, ns, RECORD_MODEL, model_key(name, version, arena), arena, &row, err);
    return take(found, &row, name, version, arena, ret_model, err);
}

struct found models_exist(struct store_reader *reader, int32_t ns, str name, int32_t version,
                          struct error *err)
{
    struct arena scratch;
    struct record_row row;
    arena_init(&scratch, 0);
    struct found found =
        reader_find_record(reader, ns, RECORD_MODEL, model_key(name, version, &scratch), &scratch, &row, err);
    arena_done(&scratch);
    return found_is(found) == NOT_THERE ? found_of(fail_unknown(name, version, err)) : found;
}

/* The next one who asks for the model reads it again, from the transaction. */
static void note_changed(struct turn *turn, int32_t ns, const struct model *model, str key)
{
    turn->changed_models = true;
    if (turn->engine->memory.live.listening || turn->engine->memory.live.telling)
        live_note(&turn->engine->memory.live, ns, LIVE_MODELS,
                  arena_printf(&turn->arena, "%.*s/%d", STR_ARG(model->name), (int)model->version));
    model_cache_drop(&turn->engine->memory.models, tenant_key(ns, key, &turn->arena));
}

enum status models_save(struct turn *turn, int32_t ns, struct model *model, struct error *err)
{
    model->revision++;
    model->updated_ms = turn->now_ms;
    struct record_row row = { .ns = ns,
                              .kind = RECORD_MODEL,
                              .key = model_key(model->name, model->version, &turn->arena),
                              .value = encode(model, &turn->arena) };
    note_changed(turn, ns, model, row.key);
    return transact_rows(turn, &(struct changeset){ .record_put = &row, .record_put_count = 1 }, err);
}

enum status models_have_entities(struct turn *turn, int32_t ns, const struct model *model, bool *ret_have,
                                 struct error *err)
{
    struct record_row *row;
    size_t count;
    const struct record_filter filter = {
        .ns = ns,
        .kind = RECORD_MEMBER,
        .prefix = index_record_prefix(model_key(model->name, model->version, &turn->arena), &turn->arena),
        .max = 1,
    };
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
    *ret_have = count > 0;
    return ST_OK;
}

/* ---- changes ---- */

/* How many entities the model has, by its tallies. */
static enum status count_entities(struct turn *turn, int32_t ns, const struct model *model,
                                  int64_t *ret_count, struct error *err)
{
    str key = model_key(model->name, model->version, &turn->arena);
    struct record_filter filter = { .ns = ns,
                                    .kind = RECORD_TALLY,
                                    .prefix = index_record_prefix(key, &turn->arena),
                                    .max = TALLIES_READ_MAX };
    struct record_row *row;
    size_t count;
    int64_t sum = 0, one;
    do {
        TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &count, err));
        for (size_t i = 0; i < count; i++) sum += str_to_int64(row[i].value, &one) ? one : 0;
        if (count) filter.after = row[count - 1].key;
    } while (count == filter.max);
    *ret_count = sum;
    return ST_OK;
}

static enum status refuse_entities(struct turn *turn, int32_t ns, const struct model *model,
                                   struct error *err)
{
    bool have;
    int64_t count;
    TRY(models_have_entities(turn, ns, model, &have, err));
    if (!have) return ST_OK;
    TRY(count_entities(turn, ns, model, &count, err));
    fail_code(err, ST_CONFLICT, "MODEL_HAS_ENTITIES", "the model \"%.*s\" has entities",
              STR_ARG(model->name));
    entity_error_add_model(err, model->name, model->version);
    fail_detail(err, "entityCount", arena_printf(&turn->arena, "%lld", (long long)count));
    return ST_CONFLICT;
}

static enum status import(struct turn *turn, const struct call *call, struct model *model, bool known,
                          struct error *err)
{
    const struct call_model *asked = &call->as.model;
    const struct model_schema *schema;
    if (known && model->is_locked) return models_fail_state(model, "MODEL_ALREADY_LOCKED", "is locked", err);
    TRY(model_infer(asked->sample, &turn->arena, &schema, err));
    if (known) return model_merge(model->schema, schema, &turn->arena, &model->schema, err);
    *model = (struct model){ .name = asked->name, .version = asked->version, .schema = schema };
    return ST_OK;
}

/* Entities need a definition from the first one on: the built-in workflow takes those that no other does. */
static enum status deploy_without_workflows(struct turn *turn, int32_t ns, const struct model *model,
                                            struct error *err)
{
    struct definition_row row;
    str id = model_key(model->name, model->version, &turn->arena);
    bool is_there;
    TRY(retire_check_leaving(turn, ns, id, err));
    TRY(found_asked(
        store_find_definition(turn->engine->store, ns, id, VERSION_LATEST, &turn->arena, &row, err),
        &is_there));
    if (is_there) return ST_OK;
    const struct json *document = entity_document(model->name, model->version, NULL, &turn->arena);
    struct buf text;
    buf_init(&text, &turn->arena);
    json_print(document, &text);
    return publish_document(turn, ns, document, buf_str(&text), err);
}

static enum status lock(struct turn *turn, int32_t ns, struct model *model, bool locks, struct error *err)
{
    if (model->is_locked == locks)
        return locks ? models_fail_state(model, "MODEL_ALREADY_LOCKED", "is locked already", err)
                     : models_fail_state(model, "MODEL_ALREADY_UNLOCKED", "is unlocked already", err);
    if (!locks) TRY(refuse_entities(turn, ns, model, err));
    if (locks) TRY(deploy_without_workflows(turn, ns, model, err));
    model->is_locked = locks;
    return ST_OK;
}

static enum status remove_model(struct turn *turn, int32_t ns, const struct model *model, struct error *err)
{
    TRY(refuse_entities(turn, ns, model, err));
    struct record_row row = { .ns = ns,
                              .kind = RECORD_MODEL,
                              .key = model_key(model->name, model->version, &turn->arena) };
    TRY(index_declare_nothing(turn, ns, row.key, err));
    note_changed(turn, row.ns, model, row.key);
    return transact_rows(turn, &(struct changeset){ .record_remove = &row, .record_remove_count = 1 }, err);
}

static enum status set_indexes(struct turn *turn, const struct call *call, const struct model *model,
                               struct error *err)
{
    bool have;
    TRY(models_have_entities(turn, call->ns, model, &have, err));
    return index_declare_fields(turn, call->ns, model, call->as.model.list, have, err);
}

static enum status set_keys(struct turn *turn, const struct call *call, const struct model *model,
                            struct error *err)
{
    if (model->is_locked)
        return models_fail_state(model, "MODEL_ALREADY_LOCKED",
                                 "is locked; unique keys are declared before that", err);
    return index_declare_keys(turn, call->ns, model, call->as.model.list, err);
}

enum status models_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_model *asked = &call->as.model;
    struct model model;
    struct found found = models_find(turn, call->ns, asked->name, asked->version, &model, err);
    bool is_new = found_is(found) == NOT_THERE && asked->action == MODEL_IMPORT;
    if (!is_new) TRY(found_needed(found));
    switch (asked->action) {
    case MODEL_IMPORT: TRY(import(turn, call, &model, !is_new, err)); break;
    case MODEL_LOCK: TRY(lock(turn, call->ns, &model, true, err)); break;
    case MODEL_UNLOCK: TRY(lock(turn, call->ns, &model, false, err)); break;
    case MODEL_SET_LEVEL: model.level = asked->level; break;
    case MODEL_SET_INDEXES: return set_indexes(turn, call, &model, err);
    case MODEL_SET_KEYS: return set_keys(turn, call, &model, err);
    case MODEL_REMOVE: return remove_model(turn, call->ns, &model, err);
    }
    return models_save(turn, call->ns, &model, err);
}
