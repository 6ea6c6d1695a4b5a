/* dialect/show/sketch.c — sketches a program, or as much of a document as its dialect can read. */
#include "dialect/show/sketch.h"

#include "base/ascii.h"
#include "base/must.h"

/* "SERVICE_TASK" → "Service task". */
static str show_words(str type, struct arena *arena)
{
    char *text = arena_make_n(arena, char, type.n + 1);
    for (size_t i = 0; i < type.n; i++)
        text[i] = type.p[i] == '_' ? ' ' : i ? ascii_lower(type.p[i]) : ascii_upper(type.p[i]);
    return (str){ text, type.n };
}

static void caption(struct sketch *sketch)
{
    for (size_t i = 0; i < sketch->node_count; i++) {
        struct sketch_node *node = &sketch->node[i];
        str words = show_words(node->type, sketch->arena), detail = node->detail;
        if (node->caption.n) continue;
        if (str_equal(detail, node->title) || str_equal_ignoring_case(detail, words)) detail = STR_NONE;
        node->caption =
            detail.n ? arena_printf(sketch->arena, "%.*s · %.*s", STR_ARG(words), STR_ARG(detail)) : words;
    }
}

bool dialect_sketch(const struct program *program, const struct json *document, bool own_places,
                    struct arena *arena, struct sketch *ret_sketch)
{
    const struct dialect *dialect = program ? dialect_named(program->dialect) : dialect_of(document);
    if (!dialect) return false;
    struct sketch sketch;
    if (program && !dialect->draws_document) {
        sketch = program_sketch(program, arena);
    } else {
        sketch = sketch_of(STR_NONE, STR_NONE, dialect->name, arena);
        dialect->sketch(document, &sketch);
        if (!sketch.node_count) return false;
        sketch_close(&sketch);
        if (program) {
            sketch.id = program->id;
            sketch.title = program->title;
        }
    }
    for (size_t i = 0; dialect->sketch_kind && i < sketch.node_count; i++)
        sketch.node[i].kind = (enum sketch_kind)dialect->sketch_kind(&sketch.node[i]);
    for (size_t i = 0; i < sketch.arrow_count; i++)
        if (str_equal(sketch.arrow[i].label, STR("true"))) sketch.arrow[i].label = STR("otherwise");
    must(sketch.node_count > 0);
    caption(&sketch);
    if (own_places) sketch_take_places(&sketch, document);
    *ret_sketch = sketch;
    return true;
}
