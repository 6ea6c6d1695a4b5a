/* expr/condition/event.c — conditions over events that have been received.
 *
 *     test:  name | 'name' | name eq 'name' | type eq 'type' | source eq 'source' | ( or )
 *
 * `eq` may also be written == or is. Several events may have the same type or source: any of
 * them will do.
 */
#include "expr/condition/condition_int.h"

/* The parts by which an event can be named. */
static const struct {
    str word;
    size_t offset;
} fields[] = {
    { STR_INIT("name"), offsetof(struct event_name, name) },
    { STR_INIT("type"), offsetof(struct event_name, type) },
    { STR_INIT("source"), offsetof(struct event_name, source) },
};

static str field_of(const struct event_name *event, size_t field)
{
    return *(const str *)(const void *)((const char *)event + fields[field].offset);
}

/* A tree that is true if an event with this value in its field has been received. */
static enum status events_value(struct condition_parser *condition, size_t field, str wanted, size_t at,
                                struct condition_value *ret_value)
{
    struct buf parts;
    buf_init(&parts, condition->arena);
    for (size_t i = 0; i < condition->event_count; i++) {
        if (!str_equal(field_of(&condition->event[i], field), wanted)) continue;
        struct expr_tree *part = tree_variable(condition->event[i].name, condition->arena);
        buf_add(&parts, &part, sizeof part);
        condition->operands.mentioned[i] = true;
        if (!condition->negated) condition->operands.positive[i] = true;
    }
    if (!parts.n) {
        wanted = lexer_shown(wanted);
        return lexer_fail(condition->lexer.err, ST_NOT_FOUND, condition->lexer.text, at,
                          "no event has the %s \"%.*s\"", fields[field].word.p, STR_ARG(wanted));
    }
    struct expr_tree *const *part = (struct expr_tree *const *)(void *)parts.p;
    *ret_value = (struct condition_value){ .tree = tree_or(part, parts.n / sizeof *part, condition->arena),
                                           .boolean = true };
    return ST_OK;
}

/* Behind a name: `eq 'text'`, if the name is that of a field. Otherwise it is an event's. */
static enum status parse_name(struct condition_parser *condition, struct condition_value *ret_value)
{
    str name = condition_word(condition);
    size_t at = condition->lexeme.at, field = 0;
    TRY(condition_advance(condition));
    if (condition->lexeme.kind != CONDITION_EQUAL) return events_value(condition, 0, name, at, ret_value);
    while (field < COUNT(fields) && !str_equal_ignoring_case(fields[field].word, name)) field++;
    if (field == COUNT(fields))
        return condition_complain(condition, at, "only name, type and source of an event can be compared");
    TRY(condition_advance(condition));
    if (condition->lexeme.kind != CONDITION_STRING)
        return condition_unexpected(condition, "a text in quotes");
    str wanted = condition_string(condition, condition->lexeme);
    TRY(events_value(condition, field, wanted, condition->lexeme.at, ret_value));
    return condition_advance(condition);
}

static enum status parse_test(struct condition_parser *condition, struct condition_value *ret_value)
{
    switch (condition->lexeme.kind) {
    case CONDITION_OPEN: return condition_enclosed(condition, ret_value);
    case CONDITION_STRING: {
        str name = condition_string(condition, condition->lexeme);
        TRY(events_value(condition, 0, name, condition->lexeme.at, ret_value));
        return condition_advance(condition);
    }
    case CONDITION_NAME: return parse_name(condition, ret_value);
    default: return condition_unexpected(condition, "the name of an event");
    }
}

enum status expr_parse_event_condition(str text, const struct event_name *name, size_t count,
                                       struct arena *arena, struct expr_tree **ret_tree,
                                       struct event_operands *ret_operands, struct error *err)
{
    struct condition_parser condition = {
        .parse_test = parse_test,
        .events = true,
        .event = name,
        .event_count = count,
        .operands = { .mentioned = arena_make_n(arena, bool, count),
                      .positive = arena_make_n(arena, bool, count) },
    };
    struct expr_tree *tree;
    TRY(condition_parse(&condition, text, arena, &tree, err));
    tree->text = condition.lexer.text;
    *ret_tree = tree;
    *ret_operands = condition.operands;
    return ST_OK;
}
