/* cli/environment.c — variables that look like settings and are none.
 *
 * A misspelt PAWL_RETENSION would have no effect, and nobody would notice before the disk is full. Kubernetes
 * sets variables of its own for a service that is called "pawl", and the vault takes every PAWL_SECRET_NAME:
 * these are no mistakes.
 */
#include "base/log.h"
#include "cli/options.h"
#include "cli/serve/serve_trace.h"
#include "cli/suggest.h"

static const char *const of_others[] = { "PAWL_SERVICE_", "PAWL_PORT", "PAWL_SECRET_" };

static bool is_setting(str name, const char *candidates[OPTION_COUNT + 1])
{
    size_t count = 0;
    bool found = false;
    for (enum option option = 0; option < OPTION_COUNT; option++) {
        const char *variable = option_specs[option].environment;
        if (!variable) continue;
        candidates[count++] = variable;
        found |= str_equal(str_of(variable), name);
    }
    candidates[count] = NULL;
    return found;
}

static bool is_of_others(str name)
{
    for (size_t i = 0; i < sizeof of_others / sizeof *of_others; i++)
        if (str_starts(name, str_of(of_others[i]))) return true;
    return false;
}

/* One of OpenTelemetry's, which we do not know. */
static bool is_strange(str name)
{
    for (size_t i = 0; serve_trace_variables[i]; i++)
        if (str_equal(name, str_of(serve_trace_variables[i]))) return false;
    return str_starts(name, STR("OTEL_"));
}

void environment_warn(char *const *variables, struct arena *arena)
{
    for (; *variables; variables++) {
        str text = str_of(*variables);
        str name = str_slice(text, 0, str_find(text, STR("="), 0));
        const char *candidates[OPTION_COUNT + 1];
        bool ours = str_starts(name, STR("PAWL_")) && !is_of_others(name);
        if (!is_strange(name) && (!ours || is_setting(name, candidates))) continue;
        const char *meant = suggest_word(name, ours ? candidates : serve_trace_variables);
        log_write(LOG_WARN, "a variable of the environment is no setting, and has no effect", "variable",
                  arena_str(arena, name).p, meant ? "meant" : NULL, meant, NULL);
    }
}
