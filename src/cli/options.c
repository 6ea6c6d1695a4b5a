#include "cli/options_int.h"

#include "base/ascii.h"
#include "base/datetime.h"
#include "base/must.h"

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

static bool is_choice(const char *words, str text)
{
    str all = str_of(words);
    size_t from = 0;
    while (from <= all.n) {
        size_t to = str_find(all, STR("|"), from);
        if (str_equal(str_slice(all, from, to), text)) return true;
        if (to == SIZE_MAX) break;
        from = to + 1;
    }
    return false;
}

/* Names the words there are and the one that was probably meant, also if only its case is wrong. */
static enum status no_such_choice(const char *words, str text, const char *where, struct arena *arena,
                                  struct error *err)
{
    enum { CHOICES_MAX = 16 };
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
    const char *close = options_suggest((str){ folded, text.n }, candidates);
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

/* ---- flags ---- */

/* A flag as it stands on the command line; applied after the file and the environment. */
struct flag {
    enum option option;
    str text;
    const char *where;
};

struct command_line {
    int argc;
    char *const *argv;
    int next;
    struct flag *flag;
    size_t flag_count;
    str *argument;
    size_t argument_count;
    bool help;
};

static bool applies(enum option option, enum verb verb) { return option_specs[option].verbs >> verb & 1; }

static enum option find_flag(enum verb verb, str name)
{
    for (enum option option = 0; option < OPTION_COUNT; option++)
        if (applies(option, verb) && str_equal(str_of(option_specs[option].flag), name)) return option;
    return OPTION_COUNT;
}

static enum option find_letter(enum verb verb, char letter)
{
    for (enum option option = 0; option < OPTION_COUNT; option++)
        if (applies(option, verb) && option_specs[option].letter == letter) return option;
    return OPTION_COUNT;
}

static enum status unknown_flag(enum verb verb, str name, struct error *err)
{
    const char *candidates[OPTION_COUNT + 1];
    const char *elsewhere = NULL;
    size_t count = 0;
    for (enum option option = 0; option < OPTION_COUNT; option++) {
        const struct option_spec *spec = &option_specs[option];
        if (applies(option, verb)) candidates[count++] = spec->flag;
        if (!str_equal(str_of(spec->flag), name)) continue;
        for (enum verb other = 0; other < VERB_COUNT && !elsewhere; other++)
            if (applies(option, other)) elsewhere = verb_specs[other].word;
    }
    candidates[count] = NULL;
    const char *close = options_suggest(name, candidates);
    if (elsewhere)
        return fail(err, ST_INVALID, "", "--%.*s is an option of \"pawl %s\", not of \"pawl %s\"",
                    STR_ARG(name), elsewhere, verb_specs[verb].word);
    if (close)
        return fail(err, ST_INVALID, "", "unknown option --%.*s; did you mean --%s?", STR_ARG(name), close);
    return fail(err, ST_INVALID, "", "unknown option --%.*s", STR_ARG(name));
}

/* `inline_value` is what followed directly (--name=value, -nvalue); its p is NULL if nothing did. */
static enum status add_flag(struct command_line *line, enum option option, str inline_value,
                            const char *where, struct error *err)
{
    const struct option_spec *spec = &option_specs[option];
    str text = inline_value;
    if (spec->type == OPTION_TYPE_FLAG) {
        if (text.p) return fail(err, ST_INVALID, where, "%s takes no value", where);
    } else if (!text.p) {
        if (line->next == line->argc)
            return fail(err, ST_INVALID, where, "%s needs a value: %s", where, spec->value);
        text = str_of(line->argv[line->next++]);
    }
    line->flag[line->flag_count++] = (struct flag){ option, text, where };
    return ST_OK;
}

static enum status read_long(struct command_line *line, enum verb verb, str word, struct arena *arena,
                             struct error *err)
{
    size_t equals = str_find(word, STR("="), 0);
    str name = str_slice(word, 0, equals);
    if (str_equal(name, STR("help"))) {
        line->help = true;
        return ST_OK;
    }
    enum option option = find_flag(verb, name);
    if (option == OPTION_COUNT) return unknown_flag(verb, name, err);
    str value = equals == SIZE_MAX ? STR_NONE : (str){ word.p + equals + 1, word.n - equals - 1 };
    return add_flag(line, option, value, arena_printf(arena, "--%.*s", STR_ARG(name)).p, err);
}

static enum status read_letters(struct command_line *line, enum verb verb, str letters, struct arena *arena,
                                struct error *err)
{
    for (size_t i = 0; i < letters.n; i++) {
        if (letters.p[i] == 'h') {
            line->help = true;
            continue;
        }
        enum option option = find_letter(verb, letters.p[i]);
        if (option == OPTION_COUNT) return fail(err, ST_INVALID, "", "unknown option -%c", letters.p[i]);
        bool is_flag = option_specs[option].type == OPTION_TYPE_FLAG;
        str rest = str_slice(letters, i + 1, letters.n);
        TRY(add_flag(line, option, is_flag || !rest.n ? STR_NONE : rest,
                     arena_printf(arena, "-%c", letters.p[i]).p, err));
        if (!is_flag) break;
    }
    return ST_OK;
}

static enum status read_command_line(struct command_line *line, enum verb verb, struct arena *arena,
                                     struct error *err)
{
    /* Letters can be bundled: there may be as many flags as characters. */
    size_t most = 1;
    for (int i = 0; i < line->argc; i++) most += 1 + strlen(line->argv[i]);
    line->flag = arena_make_n(arena, struct flag, most);
    line->argument = arena_make_n(arena, str, (size_t)line->argc + 1);

    bool only_arguments = false;
    while (line->next < line->argc) {
        str word = str_of(line->argv[line->next++]);
        if (only_arguments || word.n < 2 || word.p[0] != '-') line->argument[line->argument_count++] = word;
        else if (str_equal(word, STR("--"))) only_arguments = true;
        else if (str_starts(word, STR("--")))
            TRY(read_long(line, verb, str_slice(word, 2, word.n), arena, err));
        else TRY(read_letters(line, verb, str_slice(word, 1, word.n), arena, err));
    }
    return ST_OK;
}

/* ---- all sources together ---- */

static enum status apply_environment(struct options *options, const struct options_sources *sources,
                                     struct error *err)
{
    for (enum option option = 0; option < OPTION_COUNT; option++) {
        const struct option_spec *spec = &option_specs[option];
        if (!spec->environment || !applies(option, options->verb)) continue;
        str text = str_of(sources->environment(spec->environment));
        if (!text.n) continue;
        if (spec->type != OPTION_TYPE_LIST) {
            TRY(options_set(options, option, text, spec->environment, err));
            continue;
        }
        for (size_t from = 0; from <= text.n;) {
            size_t comma = str_find(text, STR(","), from);
            size_t to = comma == SIZE_MAX ? text.n : comma;
            TRY(options_set(options, option, str_trim(str_slice(text, from, to)), spec->environment, err));
            from = to + 1;
        }
    }
    return ST_OK;
}

static void apply_defaults(struct options *options)
{
    for (enum option option = 0; option < OPTION_COUNT; option++) {
        const char *fallback = option_specs[option].fallback;
        struct option_value *value = &options->value[option];
        if (!fallback || value->given) continue;
        must(options_set(options, option, str_of(fallback), "default", NULL) == ST_OK);
        value->given = false;
    }
}

static enum status check_arguments(const struct options *options, struct error *err)
{
    const struct verb_spec *spec = &verb_specs[options->verb];
    if (options->argument_count < spec->arguments_min)
        return fail(err, ST_INVALID, "", "%s needs %s", spec->word, spec->arguments);
    if (options->argument_count <= spec->arguments_max) return ST_OK;
    return fail(err, ST_INVALID, "", "%s does not know what to do with \"%.*s\"", spec->word,
                STR_ARG(options->argument[spec->arguments_max]));
}

enum status options_parse(enum verb verb, int argc, char *const *argv, const struct options_sources *sources,
                          struct arena *arena, struct options *ret_options, struct error *err)
{
    struct options options = { .arena = arena, .verb = verb };
    struct command_line line = { .argc = argc, .argv = argv };

    TRY(read_command_line(&line, verb, arena, err));
    options.help = line.help;
    options.argument = line.argument;
    options.argument_count = line.argument_count;
    if (options.help) {
        *ret_options = options;
        return ST_OK;
    }

    if (applies(OPTION_CONFIG, verb)) {
        const char *file = sources->environment(option_specs[OPTION_CONFIG].environment);
        if (file && !*file) file = NULL;
        for (size_t i = 0; i < line.flag_count; i++)
            if (line.flag[i].option == OPTION_CONFIG) file = line.flag[i].text.p;
        if (file) TRY(config_load(&options, file, false, err));
        else if (sources->config_default) TRY(config_load(&options, sources->config_default, true, err));
    }
    TRY(apply_environment(&options, sources, err));
    for (size_t i = 0; i < line.flag_count; i++)
        TRY(options_set(&options, line.flag[i].option, line.flag[i].text, line.flag[i].where, err));
    apply_defaults(&options);
    TRY(check_arguments(&options, err));
    *ret_options = options;
    return ST_OK;
}

/* ---- limits ---- */

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
            const char *close = options_suggest(name, names);
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
