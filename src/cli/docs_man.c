/* cli/docs_man.c — the man page, from the tables: `pawl docs man > pawl.1`. */
#include "cli/help.h"

#include "cli/output.h"

/* Text as roff shows it: no request at the start of a line, dashes that can be copied. */
static void add_roff(struct buf *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) buf_add_str(out, STR("\\&"));
        if (*text == '-') buf_add_str(out, STR("\\-"));
        else if (*text == '\\') buf_add_str(out, STR("\\e"));
        else if (text[0] == '\n' && text[1] == '\n') {
            buf_add_str(out, STR("\n.PP\n"));
            text++;
        } else buf_add_char(out, *text);
        line_start = *text == '\n';
    }
}

static void add_option(enum option option, struct buf *out)
{
    const struct option_spec *spec = &option_specs[option];
    buf_add_str(out, STR(".TP\n"));
    if (spec->letter) buf_printf(out, "\\fB\\-%c\\fR, ", spec->letter);
    buf_add_str(out, STR("\\fB\\-\\-"));
    add_roff(out, spec->flag);
    buf_add_str(out, STR("\\fR"));
    if (spec->value) {
        bool may_be_left_out = spec->type == OPTION_TYPE_ALL_OR_LIST;
        buf_add_str(out, may_be_left_out ? STR("[=\\fI") : STR(" \\fI"));
        add_roff(out, spec->value);
        buf_add_str(out, may_be_left_out ? STR("\\fR]") : STR("\\fR"));
    }
    buf_add_char(out, '\n');
    add_roff(out, spec->help);
    buf_add_str(out, STR(".\n"));
    if (spec->fallback && strcmp(spec->fallback, "0") != 0) {
        buf_add_str(out, STR("The default is \\fB"));
        add_roff(out, spec->fallback);
        buf_add_str(out, STR("\\fR.\n"));
    }
    if (spec->environment) buf_printf(out, "Environment: \\fB%s\\fR.\n", spec->environment);
}

static void add_verb(enum verb verb, struct buf *out)
{
    const struct verb_spec *spec = &verb_specs[verb];
    buf_printf(out, ".SS pawl %s", spec->word);
    if (*spec->arguments) {
        buf_add_char(out, ' ');
        add_roff(out, spec->arguments);
    }
    buf_printf(out, "\n%c", spec->summary[0] - 'a' + 'A');
    add_roff(out, spec->summary + 1);
    buf_add_str(out, STR(".\n"));
    if (verb_description(verb)) {
        buf_add_str(out, STR(".PP\n"));
        add_roff(out, verb_description(verb));
        buf_add_char(out, '\n');
    }
    for (enum option option = 0; option < OPTION_COUNT; option++)
        if (option_specs[option].verbs >> verb & 1) add_option(option, out);
    if (!verb_examples(verb)) return;
    buf_add_str(out, STR(".PP\n.EX\n"));
    add_roff(out, verb_examples(verb));
    buf_add_str(out, STR("\n.EE\n"));
}

static void add_exit_codes(struct buf *out)
{
    buf_add_str(out, STR(".SH EXIT STATUS\n"));
    for (int code = 0; code <= EXIT_CODE_HIGHEST; code++) {
        struct buf meaning;
        buf_init(&meaning, NULL);
        help_exit_meaning(code, &meaning);
        buf_add_char(&meaning, '\0');
        buf_printf(out, ".TP\n.B %d\n", code);
        add_roff(out, meaning.p);
        buf_add_char(out, '\n');
        buf_done(&meaning);
    }
}

static void add_settings(struct buf *out)
{
    buf_add_str(
        out,
        STR(".SH CONFIGURATION\n"
            "A flag wins over the environment, the environment over the configuration file, the file "
            "over the default.\n.PP\n"
            "The file is named by \\fB\\-\\-config\\fR or \\fBPAWL_CONFIG\\fR; without either "
            "\\fI/etc/pawl/pawl.conf\\fR is read if it exists. Its lines are \\fIkey\\fB = \\fIvalue\\fR; "
            "lines that begin with # are comments. The keys are:\n"));
    for (enum option option = 0; option < OPTION_COUNT; option++) {
        if (!option_specs[option].environment || option == OPTION_CONFIG) continue;
        buf_add_str(out, STR(".TP\n.B "));
        add_roff(out, option_specs[option].flag);
        buf_add_char(out, '\n');
        add_roff(out, option_specs[option].help);
        buf_add_char(out, '\n');
    }
    buf_add_str(out, STR(".SH LIMITS\nChanged with \\fB\\-\\-limit\\fR \\fINAME=VALUE\\fR:\n"));
#define XX(name, value, what)               \
    buf_printf(out, ".TP\n.B %s\n", #name); \
    add_roff(out, what);                    \
    buf_printf(out, " (%lld)\n", (long long)(value));
    LIMIT_MAP(XX)
#undef XX
}

void docs_man(struct buf *out)
{
    buf_add_str(
        out,
        STR(".TH PAWL 1 \"\" \"pawl " PAWL_VERSION "\" \"User Commands\"\n"
            ".SH NAME\npawl \\- a durable workflow engine\n"
            ".SH SYNOPSIS\n.B pawl\n\\fIVERB\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"
            ".SH DESCRIPTION\n"
            "Pawl runs workflow definitions: it keeps the state of every instance in a store, hands jobs to "
            "workers over HTTP, waits for people, signals and timers, and goes on after a crash where it "
            "stood.\n"
            ".SH VERBS\n"));
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        if (verb_specs[verb].group != GROUP_HIDDEN) add_verb(verb, out);
    add_settings(out);
    add_exit_codes(out);
    buf_add_str(
        out,
        STR(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set, tables have no colours.\n.PP\n"
            "Options with an environment variable name it above.\n"
            ".SH FILES\n"
            ".TP\n.B /etc/pawl/pawl.conf\nThe settings of an engine that runs as a service.\n"
            ".TP\n.B /var/lib/pawl\nIts data; another engine has its own in \\fI./pawl\\-data\\fR.\n"
            ".TP\n.B /usr/share/pawl\nExamples, alerts and a dashboard, where a package brought them.\n"
            ".SH EXAMPLES\n"
            "A first flow, and why it waits:\n.PP\n.EX\n"
            "pawl deploy /usr/share/pawl/examples/order.json\n"
            "pawl start SHOP::order \\-\\-var orderId=42 \\-\\-var total=1500 \\-\\-key order\\-42\n"
            "pawl ps\npawl show INSTANCE\n.EE\n"
            ".SH SEE ALSO\n"
            "A running engine has its pages at \\fIhttp://127.0.0.1:8080/docs/\\fR and its web application "
            "at \\fIhttp://127.0.0.1:8080/ui/\\fR.\n"));
}

int verb_docs(const struct options *options)
{
    static const struct {
        const char *word;
        void (*print)(struct buf *out);
    } documents[] = {
        { "man", docs_man },
        { "bash", docs_bash },
        { "zsh", docs_zsh },
        { "fish", docs_fish },
    };
    struct buf out;
    for (size_t i = 0; i < COUNT(documents); i++) {
        if (!str_equal(str_of(documents[i].word), options->argument[0])) continue;
        buf_init(&out, options->arena);
        documents[i].print(&out);
        return output_write(buf_str(&out));
    }
    output_complain("docs prints %s", verb_specs[VERB_DOCS].arguments);
    return status_exit(ST_INVALID);
}
