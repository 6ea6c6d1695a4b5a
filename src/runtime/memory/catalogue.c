/* runtime/memory/catalogue.c — loads and compiles definitions, and drops the least used ones. */
#include "runtime/memory/catalogue.h"

#include "base/lru.h"
#include "base/must.h"
#include "base/text_map.h"
#include "source/source.h"

#include <stdlib.h>

enum { ENTRY_OVERHEAD_BYTES = 128 }; /* The maps' slots and the allocator's headers. */

void catalogue_init(struct catalogue *catalogue, size_t bytes_max, definition_source *source, void *context)
{
    *catalogue = (struct catalogue){ .bytes_max = bytes_max, .source = source, .context = context };
    map_init(&catalogue->by_number);
    text_map_init(&catalogue->latest);
    arena_init(&catalogue->scratch, 0);
}

static void free_definition(struct definition *definition)
{
    program_unref(definition->program);
    free(definition);
}

void catalogue_done(struct catalogue *catalogue)
{
    text_map_done(&catalogue->latest);
    map_done(&catalogue->by_number);
    arena_done(&catalogue->scratch);
    for (struct definition *definition = catalogue->newest, *older; definition; definition = older) {
        older = definition->older;
        free_definition(definition);
    }
}

void catalogue_clear(struct catalogue *catalogue)
{
    catalogue_done(catalogue);
    catalogue_init(catalogue, catalogue->bytes_max, catalogue->source, catalogue->context);
}

static struct definition *find_latest(const struct catalogue *catalogue, int32_t ns, str id)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    struct definition *latest = text_map_get(&catalogue->latest, tenant_key(ns, id, &scratch));
    arena_done(&scratch);
    return latest;
}

void catalogue_forget_latest(struct catalogue *catalogue, int32_t ns, str id)
{
    const struct definition *latest = find_latest(catalogue, ns, id);
    if (latest) text_map_take(&catalogue->latest, latest->key);
}

void catalogue_note_retired(struct catalogue *catalogue, int64_t number, int64_t retired_ms)
{
    struct definition *definition = catalogue_peek(catalogue, number);
    if (definition) definition->retired_ms = retired_ms;
}

/* ---- the order of use ---- */

static size_t cost(const struct definition *definition)
{
    return sizeof *definition + program_bytes(definition->program) + ENTRY_OVERHEAD_BYTES;
}

/* NULL gives NULL. */
static struct definition *touch(struct catalogue *catalogue, struct definition *definition)
{
    if (definition) lru_touch(catalogue, definition);
    return definition;
}

static void drop(struct catalogue *catalogue, struct definition *definition)
{
    must(catalogue->bytes >= cost(definition));
    lru_remove(catalogue, definition, cost(definition));
    map_take(&catalogue->by_number, (uint64_t)definition->number);
    /* The id may lead to another version by now. */
    if (text_map_get(&catalogue->latest, definition->key) == definition)
        text_map_take(&catalogue->latest, definition->key);
    free_definition(definition);
}

void catalogue_trim(struct catalogue *catalogue)
{
    while (lru_is_over(catalogue) && catalogue->oldest) drop(catalogue, catalogue->oldest);
    must(catalogue->oldest || (!catalogue->bytes && !catalogue->by_number.count));
}

/* ---- loading ---- */

static struct definition *add(struct catalogue *catalogue, const struct definition_row *row,
                              struct program *program)
{
    must(row->ns > TENANT_ANY);
    str key = tenant_key(row->ns, program->id, &catalogue->scratch);
    struct definition *definition = malloc(sizeof *definition + key.n);
    must(definition);
    memcpy(definition + 1, key.p, key.n);
    *definition = (struct definition){ .number = row->number,
                                       .ns = row->ns,
                                       .version = row->version,
                                       .id = program->id,
                                       .key = { (char *)(definition + 1), key.n },
                                       .program = program,
                                       .retired_ms = row->retired_ms };
    must(!map_put(&catalogue->by_number, (uint64_t)row->number, definition));
    lru_add(catalogue, definition, cost(definition));
    return definition;
}

static enum status compile(struct catalogue *catalogue, const struct definition_row *row,
                           struct definition **ret_definition, struct error *err)
{
    struct problems problems;
    problems_init(&problems, &catalogue->scratch);
    problems.errors_only = true; /* Checks that only warn are left out: the author has seen the warnings, and
                                    some take seconds. */
    problems.stored_id = row->id;
    struct program *program = source_compile(row->source, SOURCE_JSON, SIZE_MAX, &problems, NULL);
    if (!program)
        return fail(err, ST_INTERNAL, "definition", "%.*s version %d no longer compiles: %.*s",
                    STR_ARG(row->id), row->version,
                    STR_ARG(problems.count ? problems.problem[0].message : STR("?")));
    if (!str_equal(program->id, row->id)) {
        program_unref(program);
        return fail(err, ST_INTERNAL, "definition", "%.*s version %d is the document of another",
                    STR_ARG(row->id), row->version);
    }
    *ret_definition = add(catalogue, row, program);
    return ST_OK;
}

static struct found load(struct catalogue *catalogue, int64_t number, int32_t ns, str id, int32_t version,
                         struct definition **ret_definition, struct error *err)
{
    struct definition_row row;
    struct found found =
        catalogue->source(catalogue->context, number, ns, id, version, &catalogue->scratch, &row, err);
    if (found_is(found) == FOUND) {
        struct definition *known = touch(catalogue, map_get(&catalogue->by_number, (uint64_t)row.number));
        if (known) *ret_definition = known;
        else found = found_of(compile(catalogue, &row, ret_definition, err));
    }
    arena_reset(&catalogue->scratch);
    return found;
}

struct found catalogue_get(struct catalogue *catalogue, int64_t number, struct definition **ret_definition,
                           struct error *err)
{
    struct definition *known = touch(catalogue, map_get(&catalogue->by_number, (uint64_t)number));
    if (known) {
        *ret_definition = known;
        return found_of(ST_OK);
    }
    return load(catalogue, number, 0, STR_NONE, 0, ret_definition, err);
}

struct definition *catalogue_peek(const struct catalogue *catalogue, int64_t number)
{
    return map_get(&catalogue->by_number, (uint64_t)number);
}

struct definition *catalogue_peek_latest(const struct catalogue *catalogue, int32_t ns, str id,
                                         int32_t version)
{
    return version <= 0 ? find_latest(catalogue, ns, id) : NULL;
}

struct found catalogue_find(struct catalogue *catalogue, int32_t ns, str id, int32_t version,
                            struct definition **ret_definition, struct error *err)
{
    struct definition *known = touch(catalogue, catalogue_peek_latest(catalogue, ns, id, version));
    if (known) {
        *ret_definition = known;
        return found_of(ST_OK);
    }
    struct definition *found = NULL;
    TRY_FOUND(load(catalogue, 0, ns, id, version > 0 ? version : 0, &found, err));
    if (version <= 0) text_map_put(&catalogue->latest, found->key, found);
    *ret_definition = found;
    return found_of(ST_OK);
}

/* A definition that was expensive once counts as expensive until several commands have shown otherwise. */
void catalogue_note_cost(struct definition *definition, int64_t fuel)
{
    must(fuel >= 0);
    int64_t faded = definition->cost - definition->cost / 8;
    definition->cost = fuel > faded ? fuel : faded;
    if (!definition->cost) definition->cost = 1;
}

bool catalogue_is_cheap(const struct definition *definition)
{
    return definition && definition->cost && definition->cost < FUEL_EXPENSIVE;
}
