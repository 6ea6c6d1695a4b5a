/* cli/help.c — `pawl help`, from the tables of verbs and options. */
#include "cli/help.h"

#include "cli/output.h"

enum { LINE_WIDTH = 80, OPTION_INDENT = 28 };

/* Fills lines up to the width; `column` is where the text begins. */
static void add_filled(struct buf *out, const char *text, size_t indent, size_t column)
{
    while (*text) {
        size_t n = strcspn(text, " \n");
        if (column + n > LINE_WIDTH && column > indent) {
            while (out->n && out->p[out->n - 1] == ' ') out->n--;
            buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        buf_add(out, text, n);
        column += n;
        text += n;
        if (*text == '\n') {
            buf_printf(out, "\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            column = indent;
        } else if (*text == ' ') {
            buf_add_char(out, ' ');
            column++;
        }
        if (*text) text++;
    }
    buf_add_char(out, '\n');
}

bool help_has_options(enum verb verb)
{
    for (enum option option = 0; option < OPTION_COUNT; option++)
        if (option_specs[option].verbs >> verb & 1) return true;
    return false;
}

void help_usage(enum verb verb, struct buf *out)
{
    const struct verb_spec *spec = &verb_specs[verb];
    buf_printf(out, "%s", spec->word);
    if (*spec->arguments) buf_printf(out, " %s", spec->arguments);
    if (help_has_options(verb)) buf_add_str(out, STR(" [OPTIONS]"));
}

void help_exit_meaning(int code, struct buf *out)
{
    bool first = true;
    for (enum status status = 0; status < STATUS_COUNT; status++) {
        if (status_exit(status) != code) continue;
        buf_printf(out, "%s%s", first ? "" : "; ", status_meaning(status));
        first = false;
    }
}

static void add_exit_codes(struct buf *out)
{
    buf_add_str(out, STR("\nExit codes\n"));
    for (int code = 0; code <= EXIT_CODE_HIGHEST; code++) {
        struct buf meaning;
        buf_init(&meaning, NULL);
        help_exit_meaning(code, &meaning);
        buf_add_char(&meaning, '\0');
        buf_printf(out, "  %d  ", code);
        add_filled(out, meaning.p, 5, 5);
        buf_done(&meaning);
    }
}

void help_overview(struct buf *out)
{
    buf_add_str(out, STR("pawl " PAWL_VERSION ", a durable workflow engine\n\n"
                         "usage: pawl VERB [ARGUMENTS] [OPTIONS]\n"));
    for (enum verb_group group = 0; group < GROUP_HIDDEN; group++) {
        buf_printf(out, "\n%s\n", verb_group_title(group));
        for (enum verb verb = 0; verb < VERB_COUNT; verb++)
            if (verb_specs[verb].group == group)
                buf_printf(out, "  %-12s %s\n", verb_specs[verb].word, verb_specs[verb].summary);
    }
    add_exit_codes(out);
    buf_add_str(
        out,
        STR("\n\"pawl help VERB\" explains a verb and its options. A running engine has its pages at /docs/\n"
            "(http://127.0.0.1:8080/docs/start.html is the first ten minutes) and its web application at "
            "/ui/.\n"));
}

static void add_option(enum option option, struct buf *out)
{
    const struct option_spec *spec = &option_specs[option];
    struct buf text;
    size_t from = out->n;

    if (spec->letter) buf_printf(out, "  -%c, ", spec->letter);
    else buf_add_str(out, STR("      "));
    buf_printf(out, "--%s", spec->flag);
    if (spec->type == OPTION_TYPE_ALL_OR_LIST) buf_printf(out, "[=%s]", spec->value);
    else if (spec->value && spec->type != OPTION_TYPE_CHOICE) buf_printf(out, " %s", spec->value);
    if (spec->type == OPTION_TYPE_CHOICE) buf_add_str(out, STR(" WORD"));
    size_t column = out->n - from;
    if (column + 2 > OPTION_INDENT) {
        buf_add_char(out, '\n');
        column = 0;
    }
    buf_printf(out, "%*s", (int)(OPTION_INDENT - column), "");

    buf_init(&text, NULL);
    buf_add_str(&text, str_of(spec->help));
    if (spec->type == OPTION_TYPE_CHOICE) {
        buf_add_str(&text, STR("; one of "));
        for (const char *c = spec->value; *c; c++) {
            if (*c == '|') buf_add_str(&text, STR(", "));
            else buf_add_char(&text, *c);
        }
    }
    if (spec->fallback && strcmp(spec->fallback, "0") != 0)
        buf_printf(&text, " (default %s)", spec->fallback);
    if (spec->environment) buf_printf(&text, " [%s]", spec->environment);
    buf_add_char(&text, '\0');
    add_filled(out, text.p, OPTION_INDENT, OPTION_INDENT);
    buf_done(&text);
}

static void add_limits(struct buf *out)
{
    buf_add_str(out, STR("\nLimits\n"));
#define XX(name, value, what) buf_printf(out, "  %-22s %-60s %lld\n", #name, what, (long long)(value));
    LIMIT_MAP(XX)
#undef XX
}

void help_of(enum verb verb, struct buf *out)
{
    buf_add_str(out, STR("usage: pawl "));
    help_usage(verb, out);
    buf_printf(out, "\n\n%c%s.\n", verb_specs[verb].summary[0] - 'a' + 'A', verb_specs[verb].summary + 1);
    if (verb_description(verb)) {
        buf_add_char(out, '\n');
        add_filled(out, verb_description(verb), 0, 0);
    }
    if (help_has_options(verb)) buf_add_str(out, STR("\nOptions\n"));
    for (enum option option = 0; option < OPTION_COUNT; option++)
        if (option_specs[option].verbs >> verb & 1) add_option(option, out);
    if (verb == VERB_SERVE) add_limits(out);
    if (!verb_examples(verb)) return;
    buf_add_str(out, STR("\nExamples\n  "));
    for (const char *c = verb_examples(verb); *c; c++) {
        buf_add_char(out, *c);
        if (*c == '\n') buf_add_str(out, STR("  "));
    }
    buf_add_char(out, '\n');
}

int help_print(enum verb verb)
{
    struct buf out;
    buf_init(&out, NULL);
    if (verb == VERB_HELP) help_overview(&out);
    else help_of(verb, &out);
    int code = output_write(buf_str(&out));
    buf_done(&out);
    return code;
}

int verb_help(const struct options *options)
{
    if (!options->argument_count) return help_print(VERB_HELP);
    enum verb verb = verb_find(options->argument[0]);
    return verb == VERB_NONE ? verb_unknown(options->argument[0]) : help_print(verb);
}
