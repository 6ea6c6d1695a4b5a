/* perform/sql/text.c — finds the placeholders of a statement.
 *
 * Placeholders inside of strings, names and comments are none, so the statement is read lexeme by lexeme, as
 * its database would. Nothing is decided here that keeps statements apart from values: both databases take
 * the values separately, and both take only one statement. Other text is passed on as it is.
 */
#include "perform/sql/sql_int.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "perform/limits.h"

/* A statement that is being read. */
struct sql_reading {
    str text;
    size_t at;
    enum sql_kind kind;
    const struct json *params;
    const struct json *key; /* The value of :idempotency_key. */
    bool named;             /* The parameters have names. */
    bool numbered;          /* There is a $1 or ?1 somewhere: then PostgreSQL's ? is an operator. */
    size_t unnumbered;      /* How many ? were seen. */
    struct arena *arena;
    struct buf out;
    str name[SQL_PARAMETERS_MAX]; /* The names of the parameters in `param`; empty: an element of the list. */
    size_t *slot;                 /* For each element of the list: its number, or 0. */
    const struct json **param;
    size_t param_count;
    enum sql_error error;
    str why;
};

static bool refuse(struct sql_reading *reading, enum sql_error error, str why)
{
    reading->error = error;
    reading->why = why;
    return false;
}

/* ---- lexemes ---- */

static char char_at(const struct sql_reading *reading, size_t at)
{
    return at < reading->text.n ? reading->text.p[at] : '\0';
}

static bool is_word_start(char c) { return ascii_is_letter(c) || c == '_' || (unsigned char)c >= 0x80; }
static bool is_word(char c) { return is_word_start(c) || ascii_is_digit(c); }

/* Behind a text in quotes. A doubled quote is part of the text, and so is one behind a backslash if these
 * escape. */
static size_t quoted_end(const struct sql_reading *reading, size_t at, char quote, bool escapes)
{
    for (at++; at < reading->text.n; at++) {
        char c = reading->text.p[at];
        if (escapes && c == '\\') at++;
        else if (c == quote && char_at(reading, at + 1) == quote) at++;
        else if (c == quote) return at + 1;
    }
    return reading->text.n;
}

/* Comments are nested in PostgreSQL only. */
static size_t comment_end(const struct sql_reading *reading, size_t at)
{
    bool nests = reading->kind == SQL_POSTGRES;
    size_t depth = 1;
    for (at += 2; at < reading->text.n; at++) {
        char c = reading->text.p[at], next = char_at(reading, at + 1);
        if (c == '*' && next == '/') {
            at++;
            if (--depth == 0) return at + 1;
        } else if (nests && c == '/' && next == '*') {
            at++;
            depth++;
        }
    }
    return reading->text.n;
}

/* Behind $tag$ … $tag$, or `at` if there is none. */
static size_t dollar_end(const struct sql_reading *reading, size_t at)
{
    size_t end = at + 1;
    while (is_word(char_at(reading, end))) end++;
    if (char_at(reading, end) != '$') return at;
    str tag = str_slice(reading->text, at, end + 1);
    size_t close = str_find(reading->text, tag, end + 1);
    return close == SIZE_MAX ? reading->text.n : close + tag.n;
}

static size_t word_end(const struct sql_reading *reading, size_t at)
{
    bool postgres = reading->kind == SQL_POSTGRES;
    size_t end = at;
    while (is_word(char_at(reading, end)) || (postgres && end > at && char_at(reading, end) == '$')) end++;
    bool escapes = postgres && end == at + 1 && ascii_lower(reading->text.p[at]) == 'e';
    return escapes && char_at(reading, end) == '\'' ? quoted_end(reading, end, '\'', true) : end;
}

static size_t line_end(const struct sql_reading *reading, size_t at)
{
    size_t end = str_find(reading->text, STR("\n"), at);
    return end == SIZE_MAX ? reading->text.n : end;
}

/* Behind the lexeme that begins at `at`; a placeholder is not one of these. */
static size_t lexeme_end(const struct sql_reading *reading, size_t at)
{
    char c = reading->text.p[at], next = char_at(reading, at + 1);
    bool postgres = reading->kind == SQL_POSTGRES;
    if (is_word(c)) return word_end(reading, at);
    if (c == '\'' || c == '"') return quoted_end(reading, at, c, false);
    if (c == '`' && !postgres) return quoted_end(reading, at, c, false);
    if (c == '[' && !postgres) {
        size_t end = str_find(reading->text, STR("]"), at);
        return end == SIZE_MAX ? reading->text.n : end + 1;
    }
    if (c == '-' && next == '-') return line_end(reading, at);
    if (c == '/' && next == '*') return comment_end(reading, at);
    if (c == '$' && postgres && dollar_end(reading, at) > at) return dollar_end(reading, at);
    if (c == ':' && (next == ':' || next == '=')) return at + 2;
    return at + 1;
}

/* Behind white space and comments. */
static size_t blank_end(const struct sql_reading *reading, size_t at)
{
    while (at < reading->text.n) {
        char c = reading->text.p[at], next = char_at(reading, at + 1);
        bool comment = (c == '-' && next == '-') || (c == '/' && next == '*');
        if (!comment && c != ' ' && (c < '\t' || c > '\r')) break;
        at = lexeme_end(reading, at);
    }
    return at;
}

/* ---- placeholders ---- */

static bool add_param(struct sql_reading *reading, const struct json *value, str name, size_t *ret_slot)
{
    if (reading->param_count == SQL_PARAMETERS_MAX)
        return refuse(reading, SQL_ERROR_PARAMETERS,
                      arena_printf(reading->arena, "more than %d parameters", SQL_PARAMETERS_MAX));
    if (json_is(value, JSON_STRING) && memchr(json_string(value).p, 0, json_string(value).n))
        return refuse(reading, SQL_ERROR_PARAMETERS,
                      STR("a text with a NUL character cannot be a parameter"));
    reading->name[reading->param_count] = name;
    reading->param[reading->param_count] = value;
    *ret_slot = ++reading->param_count;
    return true;
}

static void put_placeholder(struct sql_reading *reading, size_t slot)
{
    buf_printf(&reading->out, "%c%zu", reading->kind == SQL_POSTGRES ? '$' : '?', slot);
}

static bool put_element(struct sql_reading *reading, size_t index)
{
    size_t count = json_count(reading->params);
    if (index >= count)
        return refuse(reading, SQL_ERROR_PARAMETERS,
                      arena_printf(reading->arena, "the statement has a placeholder %zu, and params has %zu",
                                   index + 1, count));
    size_t *slot = &reading->slot[index];
    if (!*slot && !add_param(reading, json_item(reading->params, index), STR_NONE, slot)) return false;
    put_placeholder(reading, *slot);
    return true;
}

static bool put_named(struct sql_reading *reading, str name)
{
    size_t slot = 0;
    for (size_t i = 0; i < reading->param_count && !slot; i++)
        if (str_equal(reading->name[i], name)) slot = i + 1;
    if (!slot) {
        const struct json *value = reading->named ? json_get(reading->params, name) : NULL;
        if (!value && str_equal(name, STR("idempotency_key"))) value = reading->key;
        if (!value)
            return refuse(reading, SQL_ERROR_PARAMETERS,
                          arena_printf(reading->arena,
                                       "the statement has :%.*s, and params has no such member",
                                       STR_ARG(name)));
        if (!add_param(reading, value, name, &slot)) return false;
    }
    put_placeholder(reading, slot);
    return true;
}

static size_t digits_end(const struct sql_reading *reading, size_t at)
{
    while (ascii_is_digit(char_at(reading, at))) at++;
    return at;
}

/* Is this $1 or ?1? */
static bool is_numbered(const struct sql_reading *reading, size_t at)
{
    char c = reading->text.p[at];
    return (c == '$' || c == '?') && ascii_is_digit(char_at(reading, at + 1));
}

static bool take_numbered(struct sql_reading *reading)
{
    size_t end = digits_end(reading, reading->at + 1);
    str digits = str_slice(reading->text, reading->at + 1, end);
    int64_t number = 0;
    if (!str_to_int64(digits, &number) || number < 1 || number > SQL_PARAMETERS_MAX)
        return refuse(reading, SQL_ERROR_PARAMETERS,
                      arena_printf(reading->arena, "there is no parameter %.*s", STR_ARG(digits)));
    reading->at = end;
    return put_element(reading, (size_t)number - 1);
}

/* Takes a placeholder if there is one here. False: the statement is refused. */
static bool take_placeholder(struct sql_reading *reading, bool *ret_taken)
{
    char c = reading->text.p[reading->at];
    *ret_taken = true;
    if (is_numbered(reading, reading->at) && !reading->named) return take_numbered(reading);
    if (c == '?' && !reading->numbered && !reading->named) {
        reading->at++;
        return put_element(reading, reading->unnumbered++);
    }
    if (c == ':' && is_word_start(char_at(reading, reading->at + 1))) {
        size_t end = reading->at + 1;
        while (is_word(char_at(reading, end))) end++;
        str name = str_slice(reading->text, reading->at + 1, end);
        if (reading->named || str_equal(name, STR("idempotency_key"))) {
            reading->at = end;
            return put_named(reading, name);
        }
    }
    *ret_taken = false;
    return true;
}

/* ---- the whole ---- */

/* Statements of PostgreSQL that end the job's transaction, change the session or use the connection in
 * another way than questions and answers. SQLite's authorizer refuses its own. */
static bool check_first_word(struct sql_reading *reading)
{
    static const str refused[] = {
        STR_INIT("begin"),   STR_INIT("start"),    STR_INIT("commit"),     STR_INIT("end"),
        STR_INIT("abort"),   STR_INIT("rollback"), STR_INIT("savepoint"),  STR_INIT("release"),
        STR_INIT("set"),     STR_INIT("reset"),    STR_INIT("discard"),    STR_INIT("prepare"),
        STR_INIT("execute"), STR_INIT("listen"),   STR_INIT("deallocate"), STR_INIT("copy"),
        STR_INIT("load"),    STR_INIT("unlisten"),
    };
    size_t at = blank_end(reading, 0);
    if (at == reading->text.n) return refuse(reading, SQL_ERROR_STATEMENT, STR("there is no statement"));
    if (reading->kind != SQL_POSTGRES) return true;
    str word = str_slice(reading->text, at, word_end(reading, at));
    for (size_t i = 0; i < COUNT(refused); i++)
        if (str_equal_ignoring_case(word, refused[i]))
            return refuse(
                reading, SQL_ERROR_STATEMENT,
                arena_printf(reading->arena,
                             "%.*s is not allowed: a job is one statement in a transaction of its own",
                             STR_ARG(word)));
    return true;
}

static void find_numbered(struct sql_reading *reading)
{
    for (size_t at = 0; at < reading->text.n && !reading->numbered;) {
        reading->numbered = is_numbered(reading, at);
        at = lexeme_end(reading, at);
    }
}

static bool take_all(struct sql_reading *reading)
{
    while (reading->at < reading->text.n) {
        bool taken;
        if (!take_placeholder(reading, &taken)) return false;
        if (taken) continue;
        size_t end = lexeme_end(reading, reading->at);
        if (reading->text.p[reading->at] == ';') {
            if (blank_end(reading, end) == reading->text.n) return true;
            return refuse(reading, SQL_ERROR_STATEMENT,
                          STR("more than one statement; a job is one statement, without a ; before its end"));
        }
        buf_add_str(&reading->out, str_slice(reading->text, reading->at, end));
        reading->at = end;
    }
    return true;
}

static bool check_all_used(struct sql_reading *reading)
{
    for (size_t i = 0; !reading->named && i < json_count(reading->params); i++)
        if (!reading->slot[i])
            return refuse(reading, SQL_ERROR_PARAMETERS,
                          arena_printf(reading->arena,
                                       "the statement has no placeholder for element %zu of params", i + 1));
    return true;
}

static bool read_all(struct sql_reading *reading)
{
    if (reading->text.n > SQL_TEXT_BYTES_MAX)
        return refuse(
            reading, SQL_ERROR_STATEMENT,
            arena_printf(reading->arena, "the statement is longer than %d bytes", SQL_TEXT_BYTES_MAX));
    if (memchr(reading->text.p, 0, reading->text.n))
        return refuse(reading, SQL_ERROR_STATEMENT, STR("the statement has a NUL character in it"));
    if (!reading->named && json_count(reading->params) > SQL_PARAMETERS_MAX)
        return refuse(reading, SQL_ERROR_PARAMETERS,
                      arena_printf(reading->arena, "more than %d parameters", SQL_PARAMETERS_MAX));
    if (!check_first_word(reading)) return false;
    find_numbered(reading);
    return take_all(reading) && check_all_used(reading);
}

bool sql_text_read(str text, const struct json *params, str idempotency_key, enum sql_kind kind,
                   struct arena *arena, struct sql_text *ret_text, enum sql_error *ret_error, str *ret_why)
{
    struct sql_reading *reading = arena_make(arena, struct sql_reading);
    *reading = (struct sql_reading){
        .text = text.n ? text : STR(""),
        .kind = kind,
        .params = params,
        .key = json_of_string(arena, idempotency_key),
        .named = json_is(params, JSON_OBJECT),
        .arena = arena,
    };
    if (params && !reading->named && !json_is(params, JSON_ARRAY) && !json_is(params, JSON_NULL))
        refuse(reading, SQL_ERROR_INPUT, STR("params is neither a list nor an object"));
    buf_init(&reading->out, arena);
    size_t elements = reading->named ? 0 : json_count(params);
    reading->slot = arena_make_n(arena, size_t, elements);
    reading->param = arena_make_n(arena, const struct json *, SQL_PARAMETERS_MAX);
    if (reading->why.n || !read_all(reading)) {
        *ret_error = reading->error;
        *ret_why = reading->why;
        return false;
    }
    *ret_text = (struct sql_text){ .text = arena_str(arena, buf_str(&reading->out)),
                                   .param = reading->param,
                                   .param_count = reading->param_count };
    return true;
}
