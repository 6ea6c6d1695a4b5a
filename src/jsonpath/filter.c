/* jsonpath/filter.c — the text behind a filter's ? → conditions.
 *
 *     or   = and ("||" and)*             and  = basic ("&&" basic)*
 *     basic = "!"? "(" or ")"  |  "!"? test  |  operand comparison operand
 *     test  = query | function with a logical result
 *     operand = literal | definite query | function with a value
 *
 * RFC 9535 calls a filter well-typed if every function is used where its result fits and gets
 * arguments of its parameters' types. All of that is decided here, so that running needs no
 * checks.
 */
#include "jsonpath/parse_int.h"

#include "base/ascii.h"

const struct jsonpath_function_spec jsonpath_functions[FUNCTION_COUNT_ALL] = {
#define XX(NAME, word_, result_, count, argument_) \
    [FUNCTION_##NAME] = { word_, TYPE_##result_, count, TYPE_##argument_ },
    JSONPATH_FUNCTION_MAP(XX)
#undef XX
};

/* Longer ones first. */
const str jsonpath_comparisons[COMPARISON_COUNT] = {
    [COMPARE_EQUAL] = STR_INIT("=="),      [COMPARE_NOT_EQUAL] = STR_INIT("!="),
    [COMPARE_LESS_EQUAL] = STR_INIT("<="), [COMPARE_GREATER_EQUAL] = STR_INIT(">="),
    [COMPARE_LESS] = STR_INIT("<"),        [COMPARE_GREATER] = STR_INIT(">"),
};

static str rest_of(const struct jsonpath_parser *parser)
{
    return (str){ parser->p, (size_t)(parser->end - parser->p) };
}

static bool take_word(struct jsonpath_parser *parser, str word)
{
    if (!str_starts(rest_of(parser), word)) return false;
    parser->p += word.n;
    return true;
}

static enum status parse_or(struct jsonpath_parser *parser, struct jsonpath_condition **ret_condition);
static enum status parse_operand(struct jsonpath_parser *parser, struct jsonpath_operand *ret_operand);

/* ---- literals ---- */

static enum status parse_number(struct jsonpath_parser *parser, const struct json **ret_value)
{
    const char *start = parser->p;
    const char *end;
    const char *complaint = text_number(start, parser->end, &end);
    if (complaint) return jsonpath_fail(parser, ST_INVALID, end, "%s", complaint);
    const struct json *value = json_number_parse((str){ start, (size_t)(end - start) }, parser->arena);
    if (!value)
        return jsonpath_fail(parser, ST_LIMIT, start,
                             "the number is too long or too large (JSON_NUMBER_BYTES_MAX)");
    parser->p = end;
    *ret_value = value;
    return ST_OK;
}

static enum status parse_string(struct jsonpath_parser *parser, const struct json **ret_value)
{
    str text;
    TRY(jsonpath_parse_quoted(parser, &text));
    *ret_value = json_of_string(parser->arena, text);
    return ST_OK;
}

/* true, false or null; NULL if the word is none of them. */
static const struct json *literal_of_word(str word)
{
    if (str_equal(word, STR("true"))) return json_of_bool(true);
    if (str_equal(word, STR("false"))) return json_of_bool(false);
    return str_equal(word, STR("null")) ? json_null() : NULL;
}

/* ---- functions ---- */

static enum status check_argument(struct jsonpath_parser *parser, const char *at,
                                  enum jsonpath_function function, const struct jsonpath_operand *argument)
{
    const struct jsonpath_function_spec *spec = &jsonpath_functions[function];
    bool query = argument->kind == OPERAND_QUERY;
    if (spec->argument == TYPE_NODES && !query)
        return jsonpath_fail(parser, ST_INVALID, at, "%s() takes a path", spec->word);
    if (spec->argument == TYPE_VALUE && query && !argument->query->definite)
        return jsonpath_fail(parser, ST_INVALID, at, "%s() takes one value, and this path may select several",
                             spec->word);
    if (argument->kind == OPERAND_CALL &&
        jsonpath_functions[argument->call->function].result != spec->argument)
        return jsonpath_fail(parser, ST_INVALID, at, "%s() cannot take the result of %s()", spec->word,
                             jsonpath_functions[argument->call->function].word);
    return ST_OK;
}

static enum status parse_arguments(struct jsonpath_parser *parser, struct jsonpath_call *call)
{
    const struct jsonpath_function_spec *spec = &jsonpath_functions[call->function];
    char found[8];
    uint32_t count = 0;
    jsonpath_skip_space(parser);
    if (!jsonpath_at(parser, ')')) {
        do {
            jsonpath_skip_space(parser);
            const char *at = parser->p;
            if (count == spec->argument_count)
                return jsonpath_fail(parser, ST_INVALID, at, "too many arguments for %s()", spec->word);
            TRY(parse_operand(parser, &call->argument[count]));
            TRY(check_argument(parser, at, call->function, &call->argument[count]));
            count++;
            jsonpath_skip_space(parser);
        } while (jsonpath_take(parser, ','));
    }
    if (!jsonpath_at(parser, ')'))
        return jsonpath_fail(parser, ST_INVALID, parser->p, "expected ',' or ')', not %s",
                             jsonpath_found(parser, found));
    if (count < spec->argument_count)
        return jsonpath_fail(parser, ST_INVALID, parser->p, "%s() needs %u argument%s", spec->word,
                             spec->argument_count, spec->argument_count == 1 ? "" : "s");
    parser->p++;
    return ST_OK;
}

static void prepare_pattern(struct jsonpath_parser *parser, struct jsonpath_call *call)
{
    if (call->function != FUNCTION_MATCH && call->function != FUNCTION_SEARCH) return;
    const struct jsonpath_operand *pattern = &call->argument[1];
    if (pattern->kind != OPERAND_LITERAL) return;
    call->pattern_is_literal = true;
    if (json_is(pattern->literal, JSON_STRING))
        call->pattern =
            jsonpath_regex(json_string(pattern->literal), call->function == FUNCTION_MATCH, parser->arena);
}

/* Behind the function's name, at the parenthesis. */
static enum status parse_call(struct jsonpath_parser *parser, str word, const struct jsonpath_call **ret_call)
{
    struct jsonpath_call *call = arena_make(parser->arena, struct jsonpath_call);
    while (call->function < FUNCTION_COUNT_ALL &&
           !str_equal(str_of(jsonpath_functions[call->function].word), word))
        call->function++;
    if (call->function == FUNCTION_COUNT_ALL)
        return jsonpath_fail(parser, ST_INVALID, word.p, "no function %.*s()", STR_ARG(word));
    TRY(jsonpath_enter(parser));
    parser->p++;
    TRY(parse_arguments(parser, call));
    jsonpath_leave(parser);
    prepare_pattern(parser, call);
    *ret_call = call;
    return ST_OK;
}

/* ---- operands ---- */

static enum status parse_word(struct jsonpath_parser *parser, struct jsonpath_operand *ret_operand)
{
    const char *start = parser->p;
    char found[8];
    if (parser->p < parser->end && ascii_is_lower(*parser->p))
        while (parser->p < parser->end &&
               (ascii_is_lower(*parser->p) || ascii_is_digit(*parser->p) || *parser->p == '_'))
            parser->p++;
    str word = { start, (size_t)(parser->p - start) };
    if (word.n && jsonpath_at(parser, '(')) {
        ret_operand->kind = OPERAND_CALL;
        return parse_call(parser, word, &ret_operand->call);
    }
    ret_operand->kind = OPERAND_LITERAL;
    ret_operand->literal = literal_of_word(word);
    if (ret_operand->literal) return ST_OK;
    parser->p = start;
    return jsonpath_fail(parser, ST_INVALID, start, "expected '@', '$', a literal or a function, not %s",
                         jsonpath_found(parser, found));
}

static enum status parse_operand(struct jsonpath_parser *parser, struct jsonpath_operand *ret_operand)
{
    struct jsonpath_operand operand = { .kind = OPERAND_LITERAL };
    if (jsonpath_at(parser, '@') || jsonpath_at(parser, '$')) {
        struct jsonpath_query *query = arena_make(parser->arena, struct jsonpath_query);
        bool relative = *parser->p++ == '@';
        TRY(jsonpath_parse_query(parser, relative, query));
        operand.kind = OPERAND_QUERY;
        operand.query = query;
    } else if (jsonpath_at(parser, '\'') || jsonpath_at(parser, '"')) {
        TRY(parse_string(parser, &operand.literal));
    } else if (parser->p < parser->end && (*parser->p == '-' || ascii_is_digit(*parser->p))) {
        TRY(parse_number(parser, &operand.literal));
    } else {
        TRY(parse_word(parser, &operand));
    }
    *ret_operand = operand;
    return ST_OK;
}

/* Only what is one value, or nothing, can be compared. */
static enum status check_comparable(struct jsonpath_parser *parser, const char *at,
                                    const struct jsonpath_operand *operand)
{
    if (operand->kind == OPERAND_QUERY && !operand->query->definite)
        return jsonpath_fail(parser, ST_INVALID, at,
                             "this path may select several values; only one can be compared");
    if (operand->kind == OPERAND_CALL && jsonpath_functions[operand->call->function].result != TYPE_VALUE)
        return jsonpath_fail(parser, ST_INVALID, at, "%s() is true or false by itself and cannot be compared",
                             jsonpath_functions[operand->call->function].word);
    return ST_OK;
}

/* ---- conditions ---- */

static struct jsonpath_condition *make_condition(struct jsonpath_parser *parser,
                                                 enum jsonpath_condition_kind kind)
{
    struct jsonpath_condition *condition = arena_make(parser->arena, struct jsonpath_condition);
    condition->kind = kind;
    return condition;
}

static bool take_comparison(struct jsonpath_parser *parser, enum jsonpath_comparison *ret_comparison)
{
    for (enum jsonpath_comparison i = 0; i < COMPARISON_COUNT; i++)
        if (take_word(parser, jsonpath_comparisons[i])) {
            *ret_comparison = i;
            return true;
        }
    return false;
}

static enum status parse_regex_flags(struct jsonpath_parser *parser, uint32_t *ret_options)
{
    for (; parser->p < parser->end && ascii_is_letter(*parser->p); parser->p++) {
        uint32_t option;
        if (!regex_flag(*parser->p, &option))
            return jsonpath_fail(parser, ST_INVALID, parser->p, "no flag %c; there are i, m, s, x and u",
                                 *parser->p);
        *ret_options |= option;
    }
    return ST_OK;
}

/* Behind `left =~`: a regex between slashes, in which \/ is a slash. */
static enum status parse_slashes(struct jsonpath_parser *parser, struct jsonpath_operand left,
                                 struct jsonpath_condition *condition)
{
    const char *start = parser->p;
    struct buf pattern;
    char message[REGEX_MESSAGE_BYTES];
    uint32_t options = 0;
    if (!jsonpath_take(parser, '/'))
        return jsonpath_fail(parser, ST_INVALID, start, "expected /regex/ behind =~");
    buf_init(&pattern, parser->arena);
    while (parser->p < parser->end && *parser->p != '/') {
        bool escaped = *parser->p == '\\' && parser->p + 1 < parser->end;
        if (escaped && parser->p[1] != '/') buf_add_char(&pattern, '\\');
        parser->p += escaped;
        buf_add_char(&pattern, *parser->p++);
    }
    if (!jsonpath_take(parser, '/'))
        return jsonpath_fail(parser, ST_INVALID, start, "the regular expression has no end");
    TRY(parse_regex_flags(parser, &options));
    struct jsonpath_call *call = arena_make(parser->arena, struct jsonpath_call);
    *call = (struct jsonpath_call){ .function = FUNCTION_SEARCH,
                                    .argument = { left },
                                    .pattern_is_literal = true,
                                    .slashes = { start, (size_t)(parser->p - start) } };
    call->pattern = regex_compile(buf_str(&pattern), options, parser->arena, message);
    if (!call->pattern) return jsonpath_fail(parser, ST_INVALID, start, "%s", message);
    condition->kind = CONDITION_CALL;
    condition->call = call;
    return ST_OK;
}

/* An operand without a comparison must be true or false by itself. */
static enum status make_test(struct jsonpath_parser *parser, const char *at,
                             const struct jsonpath_operand *operand, struct jsonpath_condition *condition)
{
    switch (operand->kind) {
    case OPERAND_LITERAL:
        return jsonpath_fail(parser, ST_INVALID, at,
                             "a literal alone is no condition; compare it with something");
    case OPERAND_QUERY:
        condition->kind = CONDITION_EXISTS;
        condition->query = operand->query;
        break;
    case OPERAND_CALL:
        if (jsonpath_functions[operand->call->function].result != TYPE_LOGICAL)
            return jsonpath_fail(parser, ST_INVALID, at, "the result of %s() must be compared with something",
                                 jsonpath_functions[operand->call->function].word);
        condition->kind = CONDITION_CALL;
        condition->call = operand->call;
        break;
    }
    return ST_OK;
}

/* An operand, and what it is compared with unless it is negated or stands alone. */
static enum status parse_test(struct jsonpath_parser *parser, bool negated,
                              struct jsonpath_condition **ret_condition)
{
    struct jsonpath_condition *condition = make_condition(parser, CONDITION_COMPARE);
    const char *at = parser->p;
    TRY(parse_operand(parser, &condition->left));
    const char *behind = parser->p;
    jsonpath_skip_space(parser);
    const char *sign = parser->p;
    bool regex = parser->mode == JSONPATH_LENIENT && take_word(parser, STR("=~"));
    if (!regex && !take_comparison(parser, &condition->comparison)) {
        parser->p = behind;
        *ret_condition = condition;
        return make_test(parser, at, &condition->left, condition);
    }
    if (negated) return jsonpath_fail(parser, ST_INVALID, sign, "a negated comparison needs parentheses");
    TRY(check_comparable(parser, at, &condition->left));
    jsonpath_skip_space(parser);
    *ret_condition = condition;
    if (regex) return parse_slashes(parser, condition->left, condition);
    at = parser->p;
    TRY(parse_operand(parser, &condition->right));
    return check_comparable(parser, at, &condition->right);
}

static enum status parse_parentheses(struct jsonpath_parser *parser,
                                     struct jsonpath_condition **ret_condition)
{
    char found[8];
    TRY(jsonpath_enter(parser));
    parser->p++;
    jsonpath_skip_space(parser);
    TRY(parse_or(parser, ret_condition));
    jsonpath_skip_space(parser);
    if (!jsonpath_take(parser, ')'))
        return jsonpath_fail(parser, ST_INVALID, parser->p, "expected '&&', '||' or ')', not %s",
                             jsonpath_found(parser, found));
    jsonpath_leave(parser);
    return ST_OK;
}

static enum status parse_basic(struct jsonpath_parser *parser, struct jsonpath_condition **ret_condition)
{
    bool negated = jsonpath_take(parser, '!');
    if (negated) jsonpath_skip_space(parser);
    struct jsonpath_condition *condition = NULL;
    if (jsonpath_at(parser, '(')) TRY(parse_parentheses(parser, &condition));
    else TRY(parse_test(parser, negated, &condition));
    *ret_condition = condition;
    if (negated) {
        *ret_condition = make_condition(parser, CONDITION_NOT);
        (*ret_condition)->first = condition;
    }
    return ST_OK;
}

typedef enum status parse_fn(struct jsonpath_parser *parser, struct jsonpath_condition **ret_condition);

/* Conditions joined by one sign are siblings, so that depth does not grow with length. */
static enum status parse_joined(struct jsonpath_parser *parser, parse_fn *parse_part, str sign,
                                enum jsonpath_condition_kind kind, struct jsonpath_condition **ret_condition)
{
    struct jsonpath_condition *first;
    TRY(parse_part(parser, &first));
    struct jsonpath_condition *joined = NULL, *last = first;
    for (;;) {
        const char *behind = parser->p;
        jsonpath_skip_space(parser);
        if (!take_word(parser, sign)) {
            parser->p = behind;
            break;
        }
        jsonpath_skip_space(parser);
        if (!joined) {
            joined = make_condition(parser, kind);
            joined->first = first;
        }
        TRY(parse_part(parser, &last->next));
        last = last->next;
    }
    *ret_condition = joined ? joined : first;
    return ST_OK;
}

static enum status parse_and(struct jsonpath_parser *parser, struct jsonpath_condition **ret_condition)
{
    return parse_joined(parser, parse_basic, STR("&&"), CONDITION_AND, ret_condition);
}

static enum status parse_or(struct jsonpath_parser *parser, struct jsonpath_condition **ret_condition)
{
    return parse_joined(parser, parse_and, STR("||"), CONDITION_OR, ret_condition);
}

enum status jsonpath_parse_filter(struct jsonpath_parser *parser,
                                  const struct jsonpath_condition **ret_condition)
{
    struct jsonpath_condition *condition;
    TRY(jsonpath_enter(parser));
    TRY(parse_or(parser, &condition));
    jsonpath_leave(parser);
    *ret_condition = condition;
    return ST_OK;
}
