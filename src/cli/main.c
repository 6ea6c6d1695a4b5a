/* cli/main.c — finds the verb, parses its options and runs it. No other file knows the functions of all
 * verbs. */
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"

#include <signal.h>

typedef int verb_fn(const struct options *options);

static verb_fn *const run_verb[VERB_COUNT] = {
#define XX(NAME, word, arguments, min, max, group, summary) [VERB_##NAME] = verb_##word,
    VERB_MAP(XX)
#undef XX
};

/* Also takes --help and --version, which people try first. */
static enum verb find_first(str word)
{
    if (str_equal(word, STR("--help")) || str_equal(word, STR("-h"))) return VERB_HELP;
    if (str_equal(word, STR("--version")) || str_equal(word, STR("-V"))) return VERB_VERSION;
    return verb_find(word);
}

int main(int argc, char **argv)
{
    struct options options;
    struct error err;
    struct arena arena;

    /* With SIGPIPE ignored, a reader that leaves early makes a write fail instead of ending the process. */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        struct buf text;
        buf_init(&text, NULL);
        help_overview(&text);
        output_write_error(buf_str(&text));
        buf_done(&text);
        return status_exit(ST_INVALID);
    }
    enum verb verb = find_first(str_of(argv[1]));
    if (verb == VERB_NONE) return verb_unknown(str_of(argv[1]));

    int code;
    arena_init(&arena, 0);
    if (options_parse(verb, argc - 2, argv + 2, &options_of_process, &arena, &options, &err) != ST_OK) {
        code = output_fail(&err);
        if (verb == VERB_PLAN) code = 1; /* 2 means differences there. */
        output_complain("see \"pawl help %s\"", verb_specs[verb].word);
    } else if (options.help) {
        code = help_print(verb);
    } else {
        code = run_verb[verb](&options);
    }
    arena_done(&arena);
    return code;
}
