/* dialect/secrets.c — finds the secrets that a definition can use. */
#include "dialect/secrets.h"

#include "base/array.h"
#include "base/buf.h"
#include "dialect/limits.h"
#include "json/json.h"
#include "program/arrival.h"
#include "program/performer.h"
#include "program/program.h"

#include <stdio.h>

struct secret_finding {
    struct arena *arena;
    struct buf place; /* The place of the value that is looked at. */
    struct secret_use *use;
    size_t count, cap;
};

static str without_vault(str reference)
{
    str prefix = STR("vault:");
    return str_starts(reference, prefix) ? str_slice(reference, prefix.n, reference.n) : reference;
}

static struct secret_use *find_use(const struct secret_finding *finding, str name)
{
    for (size_t i = 0; i < finding->count; i++)
        if (str_equal(finding->use[i].name, name)) return &finding->use[i];
    return NULL;
}

/* So many names are as much as any name. */
static void add_use(struct secret_finding *finding, str name)
{
    if (finding->count >= SECRET_USES_MAX) name = STR_NONE;
    struct secret_use *known = find_use(finding, name);
    if (known) {
        if (!known->place.n) known->place = arena_str(finding->arena, buf_str(&finding->place));
        return;
    }
    array_reserve_in(finding->arena, finding->use, finding->count, finding->cap);
    finding->use[finding->count++] =
        (struct secret_use){ .name = arena_str(finding->arena, name),
                             .place = arena_str(finding->arena, buf_str(&finding->place)) };
}

/* ---- the program ---- */

/* The places of a call's configuration that a secret is filled into: vault/resolve.h. */
static void find_in_config(struct secret_finding *finding, const struct json *config)
{
    const struct json *places = config ? json_get(config, STR(PERFORMER_SECRETS_MEMBER)) : NULL;
    for (size_t i = 0; json_is(places, JSON_ARRAY) && i < json_count(places); i++) {
        const struct json *parts = json_get(json_item(places, i), STR("parts"));
        for (size_t k = 0; json_is(parts, JSON_ARRAY) && k < json_count(parts); k++) {
            const struct json *part = json_item(parts, k);
            if (json_is(part, JSON_OBJECT)) add_use(finding, json_text(part, STR("secret")));
        }
    }
}

static void find_in_arrival(struct secret_finding *finding, const struct program_arrival *arrival)
{
    const struct arrival_terms *terms = &arrival->terms;
    str connection = json_text(json_get(arrival->config, STR("poll")), STR("connectionRef"));
    if (terms->secret.n) add_use(finding, without_vault(terms->secret));
    if (terms->broker.n) add_use(finding, without_vault(terms->broker));
    if (terms->schema.n)
        add_use(finding, without_vault(str_slice(terms->schema, 0, str_find(terms->schema, STR("#"), 0))));
    if (connection.n) add_use(finding, without_vault(connection));
}

static void find_in_program(struct secret_finding *finding, const struct program *program)
{
    const struct program_rules *rules = program->rules;
    for (size_t i = 0; i < rules->secret_count; i++) add_use(finding, rules->secret[i]);
    for (size_t i = 0; i < rules->arrival_count; i++) find_in_arrival(finding, &rules->arrival[i]);
    for (size_t i = 0; i < program->node_count; i++)
        if (program->node[i].kind == NODE_TASK) find_in_config(finding, program->node[i].as.task.config);
}

/* ---- the document ---- */

/* A template says nothing new: the program knows its secrets. But this is where the name stands. */
static void place_template(struct secret_finding *finding, str text)
{
    for (size_t i = 0; i < finding->count && str_find(text, STR("{{"), 0) != SIZE_MAX; i++)
        if (!finding->use[i].place.n && finding->use[i].name.n &&
            str_find(text, finding->use[i].name, 0) != SIZE_MAX)
            finding->use[i].place = arena_str(finding->arena, buf_str(&finding->place));
}

static void find_in_text(struct secret_finding *finding, str member, str text)
{
    static const str references[] = { STR_INIT("connectionRef"), STR_INIT("secretRef"),
                                      STR_INIT("brokerRef") };
    place_template(finding, text);
    for (size_t i = 0; i < COUNT(references); i++) {
        if (!str_equal(member, references[i]) || !text.n) continue;
        bool is_computed = str_find(text, STR("{{"), 0) != SIZE_MAX;
        add_use(finding, is_computed ? STR_NONE : without_vault(text));
    }
    struct secret_use *known =
        str_equal(member, STR("schemaRef")) || str_equal(member, STR("secretRefs"))
            ? find_use(finding, without_vault(str_slice(text, 0, str_find(text, STR("#"), 0))))
            : NULL;
    if (known && !known->place.n) known->place = arena_str(finding->arena, buf_str(&finding->place));
}

/* An item of a list belongs to the list's member. */
static void find_in_value(struct secret_finding *finding, str member, const struct json *value, size_t depth)
{
    if (json_is(value, JSON_STRING)) find_in_text(finding, member, json_string(value));
    bool is_list = json_is(value, JSON_ARRAY);
    if (depth > JSON_DEPTH_MAX || (!is_list && !json_is(value, JSON_OBJECT))) return;
    struct json_each each = json_each(value);
    for (size_t i = 0; json_next(&each); i++) {
        char number[24];
        size_t before = finding->place.n;
        snprintf(number, sizeof number, "%zu", i);
        json_pointer_add(&finding->place, is_list ? str_of(number) : each.name);
        find_in_value(finding, is_list ? member : each.name, each.value, depth + 1);
        finding->place.n = before;
    }
}

size_t dialect_secrets(const struct program *program, const struct json *document, struct arena *arena,
                       struct secret_use **ret_use)
{
    struct secret_finding finding = { .arena = arena };
    buf_init(&finding.place, arena);
    find_in_program(&finding, program);
    find_in_value(&finding, STR_NONE, document, 0);
    *ret_use = finding.use;
    return finding.count;
}
