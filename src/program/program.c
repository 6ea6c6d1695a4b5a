/* program/program.c — makes, links, shares and frees programs; lookup, delays, checks of fields. */
#include "program/reach_int.h"

#include "base/must.h"
#include "base/sort.h"
#include "program/limits.h"

#include <stdarg.h>
#include <stdio.h>

enum { PRIORITY_DEFAULT = 5 };

const char *program_kind_word(enum node_kind kind)
{
    static const char *const words[NODE_KIND_COUNT] = {
#define XX(NAME, word, waits, does) [NODE_##NAME] = word,
        NODE_KIND_MAP(XX)
#undef XX
    };
    must((unsigned)kind < NODE_KIND_COUNT);
    return words[kind];
}

bool program_kind_waits(enum node_kind kind)
{
    static const bool waits_at[NODE_KIND_COUNT] = {
#define XX(NAME, word, waits, does) [NODE_##NAME] = waits,
        NODE_KIND_MAP(XX)
#undef XX
    };
    must((unsigned)kind < NODE_KIND_COUNT);
    return waits_at[kind];
}

const char *program_policy_code(enum hit_policy policy)
{
    static const char *const codes[HIT_POLICY_COUNT] = {
#define XX(NAME, code, meaning) [HIT_##NAME] = code,
        HIT_POLICY_MAP(XX)
#undef XX
    };
    must((unsigned)policy < HIT_POLICY_COUNT);
    return codes[policy];
}

/* ---- lifetime ---- */

const struct program_rules program_rules_default = { .retention_ms = -1 };

struct program *program_new(size_t bytes)
{
    /* The program lives in the arena it owns: freeing the arena frees both. */
    struct arena arena;
    arena_init(&arena, 0);
    arena_reserve(&arena, sizeof(struct program) + bytes);
    struct program *program = arena_make(&arena, struct program);
    program->priority = PRIORITY_DEFAULT;
    program->rules = &program_rules_default;
    program->references_ = 1;
    program->arena_ = arena;
    return program;
}

struct program *program_new_for(const struct json *document, size_t times)
{
    size_t bytes = json_encoded(document).n * times;
    return program_new(bytes < PROGRAM_FIRST_BYTES_MAX ? bytes : PROGRAM_FIRST_BYTES_MAX);
}

struct arena *program_arena(struct program *program) { return &program->arena_; }

size_t program_bytes(const struct program *program) { return arena_bytes(&program->arena_); }

struct program *program_ref(struct program *program)
{
    must(__atomic_fetch_add(&program->references_, 1, __ATOMIC_RELAXED) > 0);
    return program;
}

void program_unref(struct program *program)
{
    if (!program) return;
    if (__atomic_fetch_sub(&program->references_, 1, __ATOMIC_ACQ_REL) != 1) return;
    struct arena arena = program->arena_;
    arena_done(&arena);
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b, const void *context)
{
    const struct program_node *node = context;
    return str_compare(node[*(const uint32_t *)a].name, node[*(const uint32_t *)b].name);
}

void program_link(struct program *program)
{
    must(program->node_count > 0 && program->node_count < NODE_NONE);
    must(program->start < program->node_count);
    uint32_t *order = arena_make_n(&program->arena_, uint32_t, program->node_count);
    uint32_t *other = arena_make_n(&program->arena_, uint32_t, program->node_count);
    for (size_t i = 0; i < program->node_count; i++) order[i] = (uint32_t)i;
    /* Stable, so that of two nodes with one name the earlier comes first. */
    sort_stable(order, other, program->node_count, sizeof *order, compare_names, program->node);
    program->by_name_ = order;
    reach_link(program);
    bool undone = false, asked = program->rules->undoes;
    for (size_t i = 0; i < program->node_count; i++) {
        undone |= program_is_undoable(&program->node[i]);
        asked |= program->node[i].undoes == UNDOING_ALWAYS;
    }
    program->has_undo_ = undone && asked;
}

uint32_t program_find(const struct program *program, str name)
{
    size_t low = 0, high = program->node_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(program->node[program->by_name_[middle]].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    if (low == program->node_count) return NODE_NONE;
    uint32_t found = program->by_name_[low];
    return str_equal(program->node[found].name, name) ? found : NODE_NONE;
}

uint32_t program_find_arrival(const struct program *program, str name)
{
    const struct program_rules *rules = program->rules;
    for (size_t i = 0; i < rules->arrival_count; i++)
        if (str_equal(rules->arrival[i].name, name)) return (uint32_t)i;
    return ARRIVAL_NONE;
}

str program_label_of_arrival(const struct program *program, const struct program_arrival *arrival)
{
    const struct json *label = json_get(json_get(arrival->config, STR("manual")), STR("buttonLabel"));
    if (json_is(label, JSON_STRING) && json_string(label).n) return json_string(label);
    uint32_t node = program_find(program, arrival->name);
    return node != NODE_NONE && program->node[node].title.n ? program->node[node].title : arrival->name;
}

/* ---- what nodes carry ---- */

static const char *const field_type_names[] = {
    [FIELD_STRING] = "a string",   [FIELD_NUMBER] = "a number", [FIELD_INTEGER] = "an integer",
    [FIELD_BOOLEAN] = "a boolean", [FIELD_ANY] = "anything",
};

static bool is_integer(const struct json *value)
{
    int64_t fits;
    if (json_int64(value, &fits)) return true;
    /* A number too large for 64 bits: a double of that size has no fraction. */
    double number = json_double(value);
    return number >= 9007199254740992.0 || number <= -9007199254740992.0;
}

static const char *value_words(const struct json *value)
{
    if (json_is(value, JSON_NUMBER) && !is_integer(value)) return "a number with a fraction";
    return json_kind_phrase(json_kind(value));
}

static bool field_fits(enum field_type type, const struct json *value)
{
    switch (type) {
    case FIELD_STRING: return json_is(value, JSON_STRING);
    case FIELD_NUMBER: return json_is(value, JSON_NUMBER);
    case FIELD_INTEGER: return json_is(value, JSON_NUMBER) && is_integer(value);
    case FIELD_BOOLEAN: return json_is(value, JSON_BOOL);
    case FIELD_ANY: return true;
    }
    return false;
}

const struct json *program_fields_placeholder(const struct program_fields *fields, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < fields->count; i++) {
        json_add_name(&builder, fields->field[i].name);
        switch (fields->field[i].type) {
        case FIELD_STRING: json_add_string(&builder, STR("[TEST] Simulated output")); break;
        case FIELD_NUMBER:
        case FIELD_INTEGER: json_add_int(&builder, 0); break;
        case FIELD_BOOLEAN: json_add_bool(&builder, false); break;
        case FIELD_ANY: json_add(&builder, json_empty_object()); break;
        }
    }
    json_close(&builder);
    return json_built(&builder);
}

/* All violations in one sentence, as many as it holds. */
struct field_violations {
    size_t count, told;
    size_t bytes;
    char text[ERROR_MESSAGE_BYTES - 128]; /* A caller puts words before it, and "and 17 more" may follow. */
    str first;                            /* The name of the first field. */
};

__attribute__((format(printf, 2, 3))) static void tell_violation(struct field_violations *all,
                                                                 const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof all->text - all->bytes, separator = all->bytes ? 2 : 0;
    all->count++;
    if (all->told + 1 < all->count || room < separator + 1) return;
    va_start(arguments, format);
    int n = vsnprintf(all->text + all->bytes + separator, room - separator, format, arguments);
    va_end(arguments);
    if (all->told && (size_t)n + separator >= room)
        return; /* The first one is told, and cut if it must be. */
    if (separator) memcpy(all->text + all->bytes, "; ", separator);
    all->told++;
    all->bytes = strlen(all->text);
}

enum status program_fields_check(const struct program_fields *fields, const struct json *object,
                                 struct error *err)
{
    struct field_violations all; /* Its text is not cleared: most objects fit. */
    all.count = all.told = all.bytes = 0;
    all.first = STR_NONE;
    must(json_is(object, JSON_OBJECT));
    for (size_t i = 0; i < fields->count; i++) {
        const struct program_field *field = &fields->field[i];
        const struct json *value = json_get(object, field->name);
        if (value ? field_fits(field->type, value) : !field->required) continue;
        if (!all.count) all.first = field->name;
        if (!value) tell_violation(&all, "\"%.*s\" is required", STR_ARG(field->name));
        else
            tell_violation(&all, "\"%.*s\" must be %s and is %s", STR_ARG(field->name),
                           field_type_names[field->type], value_words(value));
    }
    if (!all.count) return ST_OK;
    char where[ERROR_WHERE_BYTES];
    snprintf(where, sizeof where, "/%.*s", STR_ARG(all.first));
    all.text[all.bytes] = '\0';
    if (all.told == all.count) return fail(err, ST_INVALID, where, "%s", all.text);
    return fail(err, ST_INVALID, where, "%s; and %zu more", all.text, all.count - all.told);
}
