/* cli/options_value.c — the table of options, and the checks of their values. */
#include "base/ascii.h"
#include "base/datetime.h"
#include "base/duration.h"
#include "base/must.h"
#include "cli/limits.h"
#include "cli/options_int.h"
#include "cli/suggest.h"
#include "store/store.h"

const struct option_spec option_specs[OPTION_COUNT] = {
#define XX(NAME, flag_, letter_, environment_, type_, fallback_, value_, verbs_, help_) \
    [OPTION_##NAME] = { .flag = flag_,                                                  \
                        .letter = letter_,                                              \
                        .environment = environment_,                                    \
                        .type = OPTION_TYPE_##type_,                                    \
                        .fallback = fallback_,                                          \
                        .value = value_,                                                \
                        .verbs = (verbs_),                                              \
                        .help = help_ },
    OPTION_MAP(XX)
#undef XX
};

/* ---- values ---- */

enum status options_duration(str text, int64_t *ret_ms, struct error *err)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {
        { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 }, { 'w', 7 * 86400000 },
    };
    int64_t count;
    if (str_equal(text, STR("0"))) {
        *ret_ms = 0;
        return ST_OK;
    }
    for (size_t i = 0; i < COUNT(units); i++) {
        if (!text.n || text.p[text.n - 1] != units[i].unit) continue;
        if (!str_to_int64(str_slice(text, 0, text.n - 1), &count) || count < 0 ||
            count > INT64_MAX / units[i].ms / 2)
            break;
        *ret_ms = count * units[i].ms;
        return ST_OK;
    }
    if (text.n && text.p[0] == 'P') return duration_parse(text, ret_ms, NULL, err);
    return fail(err, ST_INVALID, "", "\"%.*s\" is not a duration such as 90s, 15m, 12h, 30d or PT12H",
                STR_ARG(text));
}

/* A word such as "postgres://" stands for all that begins with it. */
static bool is_choice(const char *words, str text)
{
    str all = str_of(words);
    size_t from = 0;
    while (from <= all.n) {
        size_t to = str_find(all, STR("|"), from);
        str word = str_slice(all, from, to);
        if (str_equal(word, text) || (str_ends(word, STR("://")) && str_starts(text, word))) return true;
        if (to == SIZE_MAX) break;
        from = to + 1;
    }
    return false;
}

/* Names the allowed words and the one that was probably meant, also if only its case is wrong. */
static enum status no_such_choice(const char *words, str text, const char *where, struct arena *arena,
                                  struct error *err)
{
    const char *candidates[CHOICES_MAX + 1];
    size_t count = 0;
    str all = str_of(words);
    bool capital = ascii_is_upper(words[0]);
    char *folded = arena_alloc(arena, text.n + 1);
    for (size_t i = 0; i < text.n; i++) folded[i] = capital ? ascii_upper(text.p[i]) : text.p[i];
    for (size_t from = 0, to; count < CHOICES_MAX && from <= all.n;
         from = to == SIZE_MAX ? all.n + 1 : to + 1) {
        to = str_find(all, STR("|"), from);
        candidates[count++] = arena_str(arena, str_slice(all, from, to)).p;
    }
    candidates[count] = NULL;
    const char *close = suggest_word((str){ folded, text.n }, candidates);
    return fail(err, ST_INVALID, where, "%s: \"%.*s\" is not one of %s%s%s%s", where, STR_ARG(text), words,
                close ? "; did you mean " : "", close ? close : "", close ? "?" : "");
}

static void append(struct arena *arena, struct option_value *value, str text)
{
    str *grown = arena_make_n(arena, str, value->list_count + 1);
    if (value->list_count) memcpy(grown, value->list, value->list_count * sizeof *grown);
    grown[value->list_count++] = text;
    value->list = grown;
}

/* The parts between commas. */
static enum status append_all(struct arena *arena, struct option_value *value, str text, const char *where,
                              struct error *err)
{
    for (size_t from = 0, comma; from <= text.n; from = comma + 1) {
        comma = str_find(text, STR(","), from);
        if (comma == SIZE_MAX) comma = text.n;
        str part = str_trim(str_slice(text, from, comma));
        if (!part.n) return fail(err, ST_INVALID, where, "%s: a value is empty", where);
        append(arena, value, part);
    }
    return ST_OK;
}

enum status options_set(struct options *options, enum option option, str text, const char *where,
                        struct error *err)
{
    const struct option_spec *spec = &option_specs[option];
    struct option_value *value = &options->value[option];
    struct error why;
    int64_t number = 0;

    text = arena_str(options->arena, text);
    switch (spec->type) {
    case OPTION_TYPE_FLAG: number = 1; break;
    case OPTION_TYPE_NUMBER:
        if (!str_to_int64(text, &number) || number < 0)
            return fail(err, ST_INVALID, where, "%s: \"%.*s\" is not a number from 0 on", where,
                        STR_ARG(text));
        break;
    case OPTION_TYPE_DURATION:
        if (options_duration(text, &number, &why) != ST_OK)
            return fail(err, ST_INVALID, where, "%s: %s", where, why.message);
        break;
    case OPTION_TYPE_CHOICE:
        if (!is_choice(spec->value, text))
            return no_such_choice(spec->value, text, where, options->arena, err);
        break;
    case OPTION_TYPE_FILE:
    case OPTION_TYPE_DIRECTORY:
        if (!text.n || memchr(text.p, 0, text.n))
            return fail(err, ST_INVALID, where, "%s: not a path", where);
        break;
    case OPTION_TYPE_LIST: append(options->arena, value, text); break;
    case OPTION_TYPE_ALL_OR_LIST: TRY(append_all(options->arena, value, text, where, err)); break;
    case OPTION_TYPE_TEXT: break;
    }
    value->text = text;
    value->number = number;
    value->given = true;
    return ST_OK;
}

const char *option_path(const struct options *options, enum option option)
{
    return options->value[option].text.n ? options->value[option].text.p : NULL;
}

/* ---- limits ---- */

void options_store(const struct options *options, const char **ret_database, const char **ret_data)
{
    str where = option_text(options, OPTION_STORE);
    const char *path = arena_str(options->arena, where).p;
    bool database = store_path_is_database(path), memory = str_equal(where, STR("memory"));
    *ret_database = database ? path : NULL;
    *ret_data = memory ? NULL : option_path(options, OPTION_DATA);
}

enum status options_limits(const struct options *options, struct limits *ret_limits, struct error *err)
{
    static const char *const names[] = {
#define XX(name, value, what) #name,
        LIMIT_MAP(XX)
#undef XX
            NULL,
    };
    struct limits limits = limits_default();
    int64_t *const field[] = {
#define XX(name, value, what) &limits.name,
        LIMIT_MAP(XX)
#undef XX
    };

    const struct option_value *given = &options->value[OPTION_LIMITS];
    for (size_t i = 0; i < given->list_count; i++) {
        str row = given->list[i];
        size_t equals = str_find(row, STR("="), 0);
        str name = str_trim(str_slice(row, 0, equals));
        int64_t number;
        size_t which = 0;
        while (names[which] && !str_equal(str_of(names[which]), name)) which++;
        if (!names[which]) {
            const char *close = suggest_word(name, names);
            return fail(err, ST_INVALID, "--limit", "--limit: there is no limit \"%.*s\"%s%s%s",
                        STR_ARG(name), close ? "; did you mean " : "", close ? close : "", close ? "?" : "");
        }
        if (equals == SIZE_MAX || !str_to_int64(str_trim(str_slice(row, equals + 1, row.n)), &number) ||
            number < 1)
            return fail(err, ST_INVALID, "--limit", "--limit: %s needs a number from 1 on: %s=VALUE",
                        names[which], names[which]);
        *field[which] = number;
    }
    *ret_limits = limits;
    return ST_OK;
}
