#include "runtime/catalogue.h"

#include "base/must.h"
#include "source/source.h"

#include <stdlib.h>

enum { DEFINITIONS_MAX = 4096 };

void catalogue_init(struct catalogue *catalogue, definition_source *source, void *context)
{
    *catalogue = (struct catalogue){ .source = source, .context = context };
    map_init(&catalogue->by_number);
    text_map_init(&catalogue->latest);
}

static void free_definition(struct definition *definition)
{
    program_unref(definition->program);
    free(definition);
}

void catalogue_done(struct catalogue *catalogue)
{
    text_map_done(&catalogue->latest);
    size_t cursor = 0;
    for (struct definition *d; (d = map_next(&catalogue->by_number, &cursor)) != NULL;) free_definition(d);
    map_done(&catalogue->by_number);
}

void catalogue_clear(struct catalogue *catalogue)
{
    catalogue_done(catalogue);
    catalogue_init(catalogue, catalogue->source, catalogue->context);
}

void catalogue_trim(struct catalogue *catalogue)
{
    if (catalogue->by_number.count > DEFINITIONS_MAX) catalogue_clear(catalogue);
}

void catalogue_forget_latest(struct catalogue *catalogue, str id) { text_map_take(&catalogue->latest, id); }

/* The text of the id stands behind the struct, in the same allocation. */
static struct definition *new_definition(const struct definition_row *row, struct program *program)
{
    struct definition *definition = malloc(sizeof *definition + row->id.n);
    must(definition);
    char *id = (char *)(definition + 1);
    memcpy(id, row->id.p, row->id.n);
    *definition = (struct definition){ .number = row->number, .ns = row->ns, .version = row->version,
                                       .id = { id, row->id.n }, .program = program };
    return definition;
}

static enum status load(struct catalogue *catalogue, int64_t number, int32_t ns, str id, int32_t version,
                        struct definition **ret_definition, struct error *err)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct definition_row row;
    enum status status = catalogue->source(catalogue->context, number, ns, id, version, &arena, &row, err);
    if (status == ST_OK) {
        struct definition *known = map_get(&catalogue->by_number, (uint64_t)row.number);
        if (known) {
            *ret_definition = known;
        } else {
            struct problems problems;
            problems_init(&problems, &arena);
            struct program *program = source_compile(row.source, SOURCE_JSON, SIZE_MAX, &problems, NULL);
            if (program) {
                *ret_definition = new_definition(&row, program);
                map_put(&catalogue->by_number, (uint64_t)row.number, *ret_definition);
            } else {
                status = fail(err, ST_INTERNAL, "definition", "%.*s version %d no longer compiles: %.*s",
                              STR_ARG(row.id), row.version,
                              STR_ARG(problems.count ? problems.problem[0].message : STR("?")));
            }
        }
    }
    arena_done(&arena);
    return status;
}

enum status catalogue_get(struct catalogue *catalogue, int64_t number, struct definition **ret_definition,
                          struct error *err)
{
    struct definition *known = map_get(&catalogue->by_number, (uint64_t)number);
    if (known) {
        *ret_definition = known;
        return ST_OK;
    }
    return load(catalogue, number, 0, STR_NONE, 0, ret_definition, err);
}

enum status catalogue_find(struct catalogue *catalogue, int32_t ns, str id, int32_t version,
                           struct definition **ret_definition, struct error *err)
{
    bool nameable = version <= 0 && ns == NAMESPACE_DEFAULT;
    struct definition *known = nameable ? text_map_get(&catalogue->latest, id) : NULL;
    if (known) {
        *ret_definition = known;
        return ST_OK;
    }
    struct definition *found = NULL;
    TRY(load(catalogue, 0, ns, id, version > 0 ? version : 0, &found, err));
    if (nameable) text_map_put(&catalogue->latest, found->id, found);
    *ret_definition = found;
    return ST_OK;
}
