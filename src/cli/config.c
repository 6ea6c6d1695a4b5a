/* cli/config.c — the configuration file.
 *
 *     # comments and empty lines
 *     listen = 0.0.0.0:8080
 *     auth-token-file = /etc/pawl/token
 *     limit = visits_max=50000
 *
 * A key is a flag's name without its dashes. A value ends with its line; a '#' inside it
 * belongs to it.
 */
#include "cli/input.h"
#include "cli/limits.h"
#include "cli/options_int.h"
#include "cli/suggest.h"

#include <errno.h>
#include <unistd.h>

static enum option find_key(str key, const char *candidates[OPTION_COUNT + 1])
{
    size_t count = 0;
    enum option found = OPTION_COUNT;
    for (enum option option = 0; option < OPTION_COUNT; option++) {
        const struct option_spec *spec = &option_specs[option];
        /* The configuration file cannot name another one: that would need rules about order. */
        if (!spec->environment || option == OPTION_CONFIG) continue;
        candidates[count++] = spec->flag;
        if (str_equal(str_of(spec->flag), key)) found = option;
    }
    candidates[count] = NULL;
    return found;
}

static enum status apply_line(struct options *options, str line, const char *where, struct error *err)
{
    size_t equals = str_find(line, STR("="), 0);
    if (equals == SIZE_MAX) return fail(err, ST_INVALID, where, "%s: expected \"key = value\"", where);
    str key = str_trim(str_slice(line, 0, equals));
    str value = str_trim(str_slice(line, equals + 1, line.n));

    const char *candidates[OPTION_COUNT + 1];
    enum option option = find_key(key, candidates);
    if (option == OPTION_COUNT) {
        const char *close = suggest_word(key, candidates);
        return fail(err, ST_INVALID, where, "%s: unknown key \"%.*s\"%s%s%s", where, STR_ARG(key),
                    close ? "; did you mean " : "", close ? close : "", close ? "?" : "");
    }
    if (!(option_specs[option].verbs >> options->verb & 1)) return ST_OK;
    return options_set(options, option, value, where, err);
}

enum status config_apply(struct options *options, str text, const char *file, struct error *err)
{
    unsigned number = 0;
    for (size_t from = 0; from < text.n;) {
        size_t newline = str_find(text, STR("\n"), from);
        str line = str_trim(str_slice(text, from, newline));
        from = newline == SIZE_MAX ? text.n : newline + 1;
        number++;
        if (!line.n || line.p[0] == '#') continue;
        TRY(apply_line(options, line, arena_printf(options->arena, "%s:%u", file, number).p, err));
    }
    return ST_OK;
}

enum status config_load(struct options *options, const char *file, bool optional, struct error *err)
{
    if (optional && access(file, R_OK) != 0) {
        bool serves = options->verb == VERB_SERVE || options->verb == VERB_STORE;
        if (errno == ENOENT || errno == ENOTDIR || !serves) return ST_OK;
    }
    str text;
    TRY(input_read_file(file, CONFIG_BYTES_MAX, options->arena, &text, err));
    return config_apply(options, text, file, err);
}
