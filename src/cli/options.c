/* cli/options.c — settings from the command line, the environment and the configuration file, together. */
#include "cli/options_int.h"

#include "base/must.h"
#include "cli/suggest.h"

#include <stdlib.h>

/* ---- flags ---- */

/* A flag on the command line. Flags are applied after the file and the environment. */
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
    const char *close = suggest_word(name, candidates);
    if (elsewhere)
        return fail(err, ST_INVALID, "", "--%.*s is an option of \"pawl %s\", not of \"pawl %s\"",
                    STR_ARG(name), elsewhere, verb_specs[verb].word);
    if (close)
        return fail(err, ST_INVALID, "", "unknown option --%.*s; did you mean --%s?", STR_ARG(name), close);
    return fail(err, ST_INVALID, "", "unknown option --%.*s", STR_ARG(name));
}

/* `inline_value` is the text that followed directly (--name=value, -nvalue); its p is NULL if there was
 * none. */
static enum status add_flag(struct command_line *line, enum option option, str inline_value,
                            const char *where, struct error *err)
{
    const struct option_spec *spec = &option_specs[option];
    str text = inline_value;
    if (spec->type == OPTION_TYPE_FLAG) {
        if (text.p) return fail(err, ST_INVALID, where, "%s takes no value", where);
    } else if (spec->type == OPTION_TYPE_ALL_OR_LIST) {
        if (!text.p) text = STR("all");
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

static const char *from_environment(const char *name) { return getenv(name); }

const struct options_sources options_of_process = { from_environment, "/etc/pawl/pawl.conf" };

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
