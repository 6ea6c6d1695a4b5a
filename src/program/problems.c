/* program/problems.c — adds problems to a list, keeps the list bounded, and prints it. */
#include "program/problems.h"

#include "base/array.h"
#include "base/limits.h"
#include "base/must.h"
#include "base/utf8.h"
#include "program/limits.h"

#include <stdarg.h>
#include <stdio.h>

const char *problem_code_name(enum problem_code code)
{
    static const char *const names[PROBLEM_COUNT] = {
#define XX(NAME, meaning) [PROBLEM_##NAME] = #NAME,
        PROBLEM_MAP(XX)
#undef XX
    };
    must((unsigned)code < PROBLEM_COUNT);
    return names[code];
}

void problems_init(struct problems *problems, struct arena *arena)
{
    *problems = (struct problems){ .arena = arena };
}

const char *problems_format(const struct problems *problems) { return problems->yaml ? "yaml" : "json"; }

/* ---- adding ---- */

/* An error matters more than a warning that was found first. */
static bool drop_last_warning(struct problems *problems)
{
    size_t i = problems->count;
    while (i > 0 && !problems->problem[i - 1].warning) i--;
    if (i == 0) return false;
    memmove(&problems->problem[i - 1], &problems->problem[i],
            (problems->count - i) * sizeof *problems->problem);
    problems->count--;
    return true;
}

bool problems_have_room(const struct problems *problems, bool warning)
{
    if (warning && problems->errors_only) return false;
    if (problems->count < DEFINITION_PROBLEMS_MAX) return true;
    for (size_t i = 0; !warning && i < problems->count; i++)
        if (problems->problem[i].warning) return true;
    return false;
}

static bool make_room(struct problems *problems, bool warning)
{
    if (problems->count == DEFINITION_PROBLEMS_MAX) return !warning && drop_last_warning(problems);
    array_reserve_in(problems->arena, problems->problem, problems->count, problems->cap);
    return true;
}

__attribute__((format(printf, 6, 0))) static void add(struct problems *problems, bool warning,
                                                      enum problem_code code, str pointer, const char *hint,
                                                      const char *format, va_list args)
{
    if (warning) problems->warning_count++;
    else problems->error_count++;
    if (!make_room(problems, warning)) return;

    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    must(n >= 0);
    char *message = arena_alloc(problems->arena, (size_t)n + 1);
    vsnprintf(message, (size_t)n + 1, format, again);
    va_end(again);

    problems->problem[problems->count++] = (struct problem){
        .code = code,
        .warning = warning,
        .pointer = arena_str(problems->arena, pointer),
        .node = arena_str(problems->arena, problems->node),
        .message = { message, (size_t)n },
        .hint = arena_str(problems->arena, str_of(hint)),
    };
}

void problem_error(struct problems *problems, enum problem_code code, str pointer, const char *hint,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(problems, false, code, pointer, hint, format, args);
    va_end(args);
}

void problem_warning(struct problems *problems, enum problem_code code, str pointer, const char *hint,
                     const char *format, ...)
{
    if (problems->errors_only) return;
    va_list args;
    va_start(args, format);
    add(problems, true, code, pointer, hint, format, args);
    va_end(args);
}

/* ---- texts that go into problems ---- */

str problem_pointer(struct arena *arena, str base, str name)
{
    size_t escaped = 0, n = base.n;
    for (size_t i = 0; i < name.n; i++) escaped += name.p[i] == '~' || name.p[i] == '/';
    char *out = arena_alloc(arena, base.n + 1 + name.n + escaped);
    if (n) memcpy(out, base.p, n);
    out[n++] = '/';
    for (size_t i = 0; i < name.n; i++) {
        bool special = name.p[i] == '~' || name.p[i] == '/';
        if (special) out[n++] = '~';
        out[n++] = !special ? name.p[i] : name.p[i] == '~' ? '0' : '1';
    }
    return (str){ out, n };
}

str problem_pointer_index(struct arena *arena, str base, size_t index)
{
    char digits[PROBLEM_INDEX_DIGITS_MAX];
    size_t first = sizeof digits;
    do digits[--first] = (char)('0' + index % 10);
    while (index /= 10);
    return problem_pointer(arena, base, (str){ digits + first, sizeof digits - first });
}

const char *problem_quote(struct arena *arena, str text)
{
    struct buf out;
    buf_init(&out, arena);
    str shown = utf8_cut(text, PROBLEM_QUOTED_BYTES_MAX);
    json_print_string(shown, &out);
    if (shown.n < text.n) buf_add_str(&out, STR("…"));
    buf_add_char(&out, '\0');
    return out.p;
}

/* ---- showing ---- */

static void add_int_member(struct json_builder *builder, str name, int64_t value)
{
    json_add_name(builder, name);
    json_add_int(builder, value);
}

const struct json *problems_json(const struct problems *problems, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->problem[i];
        json_open_object(&builder);
        json_add_text(&builder, STR("severity"), problem->warning ? STR("warning") : STR("error"));
        json_add_text(&builder, STR("code"), str_of(problem_code_name(problem->code)));
        if (problem->node.n) json_add_text(&builder, STR("nodeId"), problem->node);
        if (problem->edge.n) json_add_text(&builder, STR("edgeId"), problem->edge);
        json_add_text(&builder, STR("pointer"), problem->pointer);
        add_int_member(&builder, STR("line"), problem->line);
        add_int_member(&builder, STR("column"), problem->column);
        json_add_text(&builder, STR("message"), problem->message);
        json_add_text(&builder, STR("hint"), problem->hint);
        if (problem->fix) {
            json_add_name(&builder, STR("fix"));
            json_add(&builder, problem->fix);
        }
        json_close(&builder);
    }
    json_close(&builder);
    return json_built(&builder);
}

void problems_print(const struct problems *problems, str file, struct buf *out)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->problem[i];
        buf_add_str(out, file);
        if (problem->line) buf_printf(out, ":%u:%u", problem->line, problem->column);
        buf_printf(out, ": %s: ", problem->warning ? "warning" : "error");
        buf_add_str(out, problem->message);
        buf_printf(out, " [%s]", problem_code_name(problem->code));
        if (problem->pointer.n) buf_printf(out, " (%.*s)", STR_ARG(problem->pointer));
        buf_add_char(out, '\n');
        if (problem->hint.n) buf_printf(out, "  hint: %.*s\n", STR_ARG(problem->hint));
    }
    size_t hidden = problems->error_count + problems->warning_count - problems->count;
    if (hidden) buf_printf(out, "%.*s: and %zu more\n", STR_ARG(file), hidden);
}
