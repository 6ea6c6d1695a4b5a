/* runtime/entities/import.c — merges workflows with those of a model, and saves the result. */
#include "runtime/entities/import.h"

#include "json/put.h"
#include "runtime/call/call.h"
#include "runtime/entities/entities_int.h"
#include "runtime/entities/models.h"

/* ---- a document ---- */

void import_take_document(struct call *call, const struct json *document)
{
    const struct json *sample = json_get(document, STR("sample"));
    struct call_import *import = arena_make(call->arena, struct call_import);
    *import = (struct call_import){ .incoming = entity_workflows(document, call->arena),
                                    .mode = ENTITY_RESTORE,
                                    .sample = json_is(sample, JSON_NULL) ? NULL : sample };
    entity_model_of(arena_str(call->arena, call->program_->id), &import->name, &import->version);
    if (json_flag(document, STR("allowCycles")))
        import->incoming = entity_allow_cycles(import->incoming, call->arena);
    str mode = json_text(document, STR("importMode")), level = json_text(document, STR("changeLevel"));
    if (mode.n) entity_import_mode_parse(mode, &import->mode);
    if (level.n) import->sets_level = model_level_find(level, &import->level);
    if (!import->sample && call->as.deploy.makes_models) {
        import->sample = json_empty_object();
        if (!import->sets_level) import->level = MODEL_LEVEL_STRUCTURAL;
        import->sets_level = import->is_open = true;
    }
    call->as.deploy.import = import;
}

/* ---- merging ---- */

enum status import_merge(struct store_reader *reader, struct call *call, struct error *err)
{
    struct call_import *import = call->as.deploy.import;
    struct model model;
    struct found found =
        models_read(reader, call->ns, import->name, import->version, call->arena, &model, err);
    if (found_is(found) == NOT_THERE && import->sample) model = (struct model){ .revision = 0 };
    else TRY(found_needed(found));
    import->revision = model.revision;
    import->merged = entity_import(model.workflows, import->incoming, import->mode, call->arena);
    struct buf text;
    buf_init(&text, call->arena);
    json_print(entity_document(import->name, import->version, import->merged, call->arena), &text);
    call->as.deploy.text = buf_str(&text);
    call->as.deploy.format = SOURCE_JSON;
    return ST_OK;
}

/* ---- saving ---- */

/* A locked model keeps its form: then a sample may only show what the model has. */
static enum status check_sample(struct arena *arena, const struct model *model, const struct json *sample,
                                struct error *err)
{
    bool is_list = json_is(sample, JSON_ARRAY), grows;
    struct model_problem problem;
    for (size_t i = 0; i < (is_list ? json_count(sample) : 1); i++)
        if (!model_check(model->schema, is_list ? json_item(sample, i) : sample, MODEL_LEVEL_NONE, arena,
                         &grows, &problem))
            return models_fail_state(model, "MODEL_ALREADY_LOCKED",
                                     arena_printf(arena, "is locked, and the sample does not fit it: %.*s",
                                                  STR_ARG(problem.message))
                                         .p,
                                     err);
    return ST_OK;
}

static enum status take_sample(struct arena *arena, const struct call_import *import, struct model *model,
                               struct error *err)
{
    const struct model_schema *schema;
    if (model->is_locked) return check_sample(arena, model, import->sample, err);
    TRY(model_infer(import->sample, arena, &schema, err));
    if (model->schema) TRY(model_merge(model->schema, schema, arena, &schema, err));
    model->schema = schema;
    model->is_locked = true;
    return ST_OK;
}

/* The model becomes what the document says, its workflows aside. `found` is what was found of it. */
static enum status fit_model(struct found found, struct call_import *import, struct arena *arena,
                             struct model *model, struct error *err)
{
    bool is_new = found_is(found) == NOT_THERE && import->sample;
    if (is_new) *model = (struct model){ .name = import->name, .version = import->version };
    else TRY(found_needed(found));
    const struct model before = *model;
    if (import->sample) TRY(take_sample(arena, import, model, err));
    if (import->sets_level && (is_new || !import->is_open)) model->level = import->level;
    import->changes = is_new || before.is_locked != model->is_locked || before.level != model->level;
    return ST_OK;
}

static void put_member(struct buf *out, const char *path, str from, str to)
{
    if (str_equal(from, to)) return;
    buf_printf(out, ",{\"path\":\"%s\",\"change\":\"changed\",\"from\":", path);
    put_text(out, from);
    PUT(out, ",\"to\":");
    put_text(out, to);
    buf_add_char(out, '}');
}

static str state_word(const struct model *model)
{
    return model->is_locked ? STR("LOCKED") : STR("UNLOCKED");
}

static str level_word(const struct model *model)
{
    str word = str_of(model_level_name(model->level));
    return word.n ? word : STR("NONE");
}

enum status import_judge(struct store_reader *reader, const struct call *call, struct arena *arena,
                         struct buf *out, struct error *err)
{
    struct call_import *import = call->as.deploy.import;
    struct model model = { .revision = 0 };
    struct found found = models_read(reader, call->ns, import->name, import->version, arena, &model, err);
    const struct model before = model;
    TRY(fit_model(found, import, arena, &model, err));
    if (found_is(found) == NOT_THERE) return ST_OK;
    put_member(out, "model", state_word(&before), state_word(&model));
    put_member(out, "changeLevel", level_word(&before), level_word(&model));
    return ST_OK;
}

enum status import_save(struct turn *turn, const struct call *call, bool is_latest, struct error *err)
{
    struct call_import *import = call->as.deploy.import;
    struct model model = { .revision = 0 };
    if (!import) return ST_OK;
    struct found found = models_find(turn, call->ns, import->name, import->version, &model, err);
    if (found_is(found) == FOUND && model.revision != import->revision)
        return fail_code(err, ST_CONFLICT, "CONFLICT", "the model was changed meanwhile; try again");
    TRY(fit_model(found, import, &turn->arena, &model, err));
    if (model.revision != import->revision)
        return fail_code(err, ST_CONFLICT, "CONFLICT", "the model was changed meanwhile; try again");
    if (is_latest && !import->changes) return ST_OK;
    model.workflows = import->merged;
    return models_save(turn, call->ns, &model, err);
}
