/* runtime/memory/facts.c — compiles a version once, and keeps its counts, warnings, tags and secrets. */
#include "runtime/memory/facts.h"

#include "base/must.h"
#include "dialect/secrets.h"
#include "runtime/limits.h"
#include "runtime/memory/memory_int.h"
#include "source/source.h"

#include <stdlib.h>

void facts_init(struct facts_cache *cache) { map_init(&cache->by_number); }

static void forget_all(struct facts_cache *cache)
{
    size_t cursor = 0;
    for (struct facts *facts; (facts = map_next(&cache->by_number, &cursor));) {
        arena_done(&facts->arena_);
        free(facts);
    }
    map_done(&cache->by_number);
}

void facts_done(struct facts_cache *cache) { forget_all(cache); }

const struct facts *facts_peek(const struct facts_cache *cache, int64_t number)
{
    return map_get(&cache->by_number, (uint64_t)number);
}

/* A flow of steps has them among its metadata, as it has places. */
static const struct json *tags_of(const struct json *document, struct arena *arena)
{
    struct json_builder builder;
    const struct json *tags = json_get(document, STR("tags"));
    if (!json_is(tags, JSON_ARRAY)) tags = json_get(json_get(document, STR("metadata")), STR("tags"));
    size_t count = 0;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    struct json_each each = json_each(json_is(tags, JSON_ARRAY) ? tags : json_empty_array());
    while (json_next(&each) && count < FACTS_TAGS_MAX) {
        if (!json_is(each.value, JSON_STRING) || json_string(each.value).n > FACTS_TAG_BYTES_MAX) continue;
        json_add(&builder, each.value);
        count++;
    }
    json_close(&builder);
    return json_built(&builder);
}

/* The value that holds the member at this place. */
static const struct json *holder_of(const struct json *document, str place)
{
    size_t slash = place.n;
    while (slash && place.p[slash - 1] != '/') slash--;
    return slash ? json_pointer(document, str_slice(place, 0, slash - 1)) : NULL;
}

/* Only the performer of a node knows whether its connection is a database or a mail server. */
static enum connection_kind kind_of(const struct program *program, const struct json *document, str place)
{
    if (str_ends(place, STR("/brokerRef"))) return CONNECTION_BROKER;
    if (!str_ends(place, STR("/connectionRef"))) return CONNECTION_SECRET;
    for (size_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        bool is_here = node->kind == NODE_TASK && node->pointer.n < place.n &&
                       str_starts(place, node->pointer) && place.p[node->pointer.n] == '/';
        if (is_here && node->as.task.performer == PERFORM_EMAIL) return CONNECTION_MAIL;
        if (is_here && node->as.task.performer == PERFORM_SQL) return CONNECTION_DATABASE;
    }
    str source = json_text(holder_of(document, place), STR("sourceType"));
    return str_equal(source, STR("SqlDatabase")) ? CONNECTION_DATABASE : CONNECTION_HTTP;
}

static void find_uses(struct facts *facts, const struct program *program, const struct json *document,
                      struct arena *scratch)
{
    struct secret_use *use;
    size_t count = dialect_secrets(program, document, scratch, &use);
    facts->use =
        arena_make_n(&facts->arena_, struct fact_use, count < FACTS_USES_MAX ? count : FACTS_USES_MAX);
    for (size_t i = 0; i < count && facts->use_count < FACTS_USES_MAX; i++) {
        if (!use[i].name.n) continue; /* Data says which. */
        facts->use[facts->use_count++] =
            (struct fact_use){ .name = arena_str(&facts->arena_, use[i].name),
                               .place = arena_str(&facts->arena_, use[i].place),
                               .kind = kind_of(program, document, use[i].place) };
    }
}

/* A stored document that compiles no longer has errors; they count, too. */
static void find_out(struct facts *facts, const struct definition_row *row, struct arena *scratch)
{
    struct problems problems;
    const struct json *document = NULL;
    problems_init(&problems, scratch);
    problems.stored_id = row->id;
    struct program *program = source_compile(row->source, SOURCE_JSON, 0, &problems, &document);
    facts->warnings = problems.warning_count + problems.error_count;
    if (problems.count) {
        facts->first_warning = arena_str(&facts->arena_, problems.problem[0].message);
        facts->first_warning_code = problem_code_name(problems.problem[0].code);
    }
    if (program) facts->triggers = program->rules->arrival_count;
    for (size_t i = 0; program && i < program->node_count; i++)
        facts->tables += program->node[i].kind == NODE_TABLE;
    if (program) find_uses(facts, program, document, scratch);
    facts->tags = tags_of(document, &facts->arena_);
    program_unref(program);
}

static const struct facts *add(struct facts_cache *cache, int64_t number, const struct definition_row *row,
                               struct arena *scratch)
{
    if (cache->by_number.count >= FACTS_MAX) {
        forget_all(cache);
        facts_init(cache);
    }
    struct facts *facts = calloc(1, sizeof *facts);
    must(facts);
    arena_init(&facts->arena_, 0);
    find_out(facts, row, scratch);
    map_put(&cache->by_number, (uint64_t)number, facts);
    return facts;
}

struct found facts_get(struct facts_cache *cache, struct store_reader *reader, int64_t number,
                       const struct facts **ret_facts, struct error *err)
{
    struct definition_row row;
    struct arena scratch;
    const struct facts *known = facts_peek(cache, number);
    if (known) {
        *ret_facts = known;
        return found_of(ST_OK);
    }
    arena_init(&scratch, 0);
    struct found found = reader_definition_by_number(reader, number, &scratch, &row, err);
    if (found_is(found) == FOUND) *ret_facts = add(cache, number, &row, &scratch);
    arena_done(&scratch);
    return found;
}
