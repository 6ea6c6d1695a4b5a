/* runtime/entities/search_check.c — is the condition of a search one, and does it fit the model? See
 * search.h. */
#include "runtime/entities/entities_int.h"

#include "runtime/call/call.h"
#include "runtime/entities/search.h"

/* A field of an array is compared element by element. */
enum { LEVELS = 8 };

static model_types types_of(const struct model *model, str path, struct arena *arena)
{
    model_types types = 0, all = 0;
    struct buf deeper;
    buf_init(&deeper, arena);
    buf_add_str(&deeper, path);
    for (int i = 0; i < LEVELS && model_find(model->schema, buf_str(&deeper), &types) == MODEL_FOUND; i++) {
        all |= types;
        if (!model_types_have(types, MODEL_ARRAY)) break;
        buf_add_str(&deeper, STR("[*]"));
    }
    return all;
}

static bool have_numbers(model_types types)
{
    for (int type = MODEL_INTEGER; type <= MODEL_UNBOUND_DECIMAL; type++)
        if (model_types_have(types, (enum model_type)type)) return true;
    return false;
}

static enum status check_leaf(const struct predicate_leaf *leaf, const struct model *model,
                              struct arena *arena, struct error *err)
{
    struct buf printed;
    model_types types;
    if (leaf->is_lifecycle) return ST_OK;
    buf_init(&printed, arena);
    predicate_path_print(&leaf->path, &printed);
    str path = buf_str(&printed);
    if (model_find(model->schema, path, &types) != MODEL_FOUND)
        return fail_code(err, ST_INVALID, "INVALID_FIELD_PATH", "the model \"%.*s\" has no field %.*s",
                         STR_ARG(model->name), STR_ARG(path));
    types = types_of(model, path, arena);
    const struct predicate_kinds kinds = {
        .numbers = have_numbers(types),
        .booleans = model_types_have(types, MODEL_BOOLEAN),
        .texts = model_types_have(types, MODEL_STRING),
    };
    bool only_null = !kinds.numbers && !kinds.booleans && !kinds.texts && model_types_have(types, MODEL_NULL);
    if (only_null || predicate_fits(leaf, kinds, arena)) return ST_OK;
    struct buf names;
    buf_init(&names, arena);
    model_put_types(&names, types);
    return fail_code(err, ST_INVALID, "CONDITION_TYPE_MISMATCH",
                     "the value at %.*s cannot be compared with %.*s, which has the types %.*s",
                     STR_ARG(leaf->pointer), STR_ARG(path), STR_ARG(buf_str(&names)));
}

static enum status check_part(const struct predicate_part *part, const struct model *model,
                              struct arena *arena, struct error *err)
{
    if (!part->group) return check_leaf(&part->leaf, model, arena, err);
    for (size_t i = 0; i < part->count; i++) TRY(check_part(&part->part[i], model, arena, err));
    return ST_OK;
}

/* A condition that is too long or too deep is a bad request, too. */
static enum status as_invalid(enum status status, const char *code, struct error *err)
{
    if (status != ST_INVALID && status != ST_LIMIT) return status;
    err->status = ST_INVALID;
    err->code = code;
    return ST_INVALID;
}

enum status search_check(const struct json *condition, const struct model *model, struct arena *arena,
                         const struct predicate_part **ret_part, const struct expr **ret_expr,
                         struct error *err)
{
    const struct predicate_options options = { .lifecycle_name = STR("carried") };
    enum status status = predicate_read(condition, arena, ret_part, err);
    if (status != ST_OK) return as_invalid(status, "BAD_REQUEST", err);
    status = expr_predicate(condition, &options, arena, ret_expr, err);
    if (status != ST_OK) return as_invalid(status, "INVALID_CONDITION", err);
    return check_part(*ret_part, model, arena, err);
}
