/* dialect/show/sketching.c — sketches of documents: nodes by id, conditions and times in words. */
#include "dialect/show/sketching.h"

#include "base/ascii.h"
#include "base/duration.h"
#include "base/limits.h"
#include "base/must.h"
#include "dialect/limits.h"

/* ---- making one ---- */

void sketching_init(struct sketching *sketching, struct sketch *sketch)
{
    sketching->sketch = sketch;
    text_map_init(&sketching->ids);
}

void sketching_done(struct sketching *sketching) { text_map_done(&sketching->ids); }

uint32_t sketching_find(const struct sketching *sketching, str id)
{
    uintptr_t number = (uintptr_t)text_map_get(&sketching->ids, id);
    return number ? (uint32_t)(number - 1) : NODE_NONE;
}

uint32_t sketching_add(struct sketching *sketching, struct sketch_node node)
{
    if (!node.id.n || sketching->sketch->node_count >= DEFINITION_STEPS_MAX ||
        sketching_find(sketching, node.id) != NODE_NONE)
        return NODE_NONE;
    uint32_t number = sketch_add(sketching->sketch, node);
    must(number < DEFINITION_STEPS_MAX && number + 1 == sketching->sketch->node_count);
    text_map_put(&sketching->ids, sketching->sketch->node[number].id, (void *)((uintptr_t)number + 1));
    return number;
}

void sketching_join(struct sketching *sketching, str to, struct sketch_arrow arrow)
{
    if (!to.n || sketching->sketch->arrow_count >= SKETCH_ARROWS_MAX) return;
    arrow.to = sketching_find(sketching, to);
    sketch_join(sketching->sketch, arrow);
}

/* ---- words ---- */

str sketching_after(str duration, struct arena *arena)
{
    struct error err;
    char text[DURATION_WORDS_BYTES];
    int64_t ms;
    if (duration_parse_any(duration, &ms, &err) != ST_OK)
        return arena_printf(arena, "after %.*s", STR_ARG(duration));
    duration_print_words(ms, text, sizeof text);
    return arena_printf(arena, "after %s", text);
}

/* "{{ trigger.payload.amount }}" → "amount": who looks at a picture knows the step. Other texts as they are.
 */
static str operand(const struct json *value, struct arena *arena)
{
    if (!json_is(value, JSON_STRING)) {
        struct buf out;
        buf_init(&out, arena);
        if (value) json_print(value, &out);
        return buf_str(&out);
    }
    str text = str_trim(json_string(value));
    if (!str_starts(text, STR("{{")) || !str_ends(text, STR("}}"))) return text;
    text = str_trim(str_slice(text, 2, text.n - 2));
    size_t dot = text.n;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '.') dot = i;
        if (!ascii_is_alphanumeric(text.p[i]) && text.p[i] != '_' && text.p[i] != '.') return text;
    }
    return dot < text.n ? str_slice(text, dot + 1, text.n) : text;
}

static str compared(const struct json *condition, struct arena *arena)
{
    static const struct {
        const char *op, *words;
        bool alone;
    } ops[] = {
        { "eq", "is", false },
        { "neq", "is not", false },
        { "gt", "is more than", false },
        { "gte", "is at least", false },
        { "lt", "is less than", false },
        { "lte", "is at most", false },
        { "contains", "contains", false },
        { "starts_with", "begins with", false },
        { "in", "is one of", false },
        { "exists", "is there", true },
        { "not_exists", "is not there", true },
        { "is_empty", "is empty", true },
        { "is_not_empty", "is not empty", true },
        { "is_true", "is true", true },
        { "is_false", "is false", true },
    };
    str left = operand(json_get(condition, STR("left")), arena), op = json_text(condition, STR("op"));
    str right = operand(json_get(condition, STR("right")), arena);
    for (size_t i = 0; i < COUNT(ops); i++) {
        if (!str_equal(op, str_of(ops[i].op))) continue;
        return ops[i].alone
                   ? arena_printf(arena, "%.*s %s", STR_ARG(left), ops[i].words)
                   : arena_printf(arena, "%.*s %s %.*s", STR_ARG(left), ops[i].words, STR_ARG(right));
    }
    return arena_printf(arena, "%.*s %.*s %.*s", STR_ARG(left), STR_ARG(op), STR_ARG(right));
}

/* One level of all and any; what is below them is only hinted at. */
static str listed(const struct json *list, const char *between, struct arena *arena)
{
    struct buf out;
    size_t count = 0;
    buf_init(&out, arena);
    struct json_each each = json_each(list);
    while (json_next(&each) && count++ < SKETCH_CONDITIONS_MAX) {
        if (count > 1) buf_printf(&out, " %s ", between);
        buf_add_str(&out, json_get(each.value, STR("left")) ? compared(each.value, arena) : STR("…"));
    }
    return buf_str(&out);
}

str sketching_condition(const struct json *condition, struct arena *arena)
{
    const struct json *all = json_get(condition, STR("all")), *any = json_get(condition, STR("any"));
    if (json_is(all, JSON_ARRAY)) return listed(all, "and", arena);
    if (json_is(any, JSON_ARRAY)) return listed(any, "or", arena);
    if (json_get(condition, STR("left"))) return compared(condition, arena);
    return condition ? operand(condition, arena) : STR_NONE;
}
