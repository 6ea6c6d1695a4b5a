/* cli/docs_completion.c — completion for bash, zsh and fish, from the tables.
 *
 * All three complete verbs, the flags of the verb, the words of a choice, and files and
 * directories where an option or an argument is one.
 */
#include "cli/help.h"

static bool shown(enum verb verb) { return verb_specs[verb].group != GROUP_HIDDEN; }

static bool applies(enum option option, enum verb verb) { return option_specs[option].verbs >> verb & 1; }

static bool needs_value(enum option option)
{
    return option_specs[option].type != OPTION_TYPE_FLAG &&
           option_specs[option].type != OPTION_TYPE_ALL_OR_LIST;
}

static bool takes_file(enum verb verb) { return strstr(verb_specs[verb].arguments, "FILE") != NULL; }

/* The words that can stand as an argument, separated by blanks; empty if any word can. */
static void add_argument_words(enum verb verb, struct buf *out)
{
    if (verb == VERB_STORE) buf_add_str(out, STR("check backup info copy forget-secrets"));
    if (verb == VERB_BULK) buf_add_str(out, STR("list show cancel"));
    if (verb == VERB_USER) buf_add_str(out, STR("add list show set password remove"));
    if (verb == VERB_KEY) buf_add_str(out, STR("add list rotate revoke"));
    if (verb == VERB_GRANT) buf_add_str(out, STR("add list remove"));
    if (verb == VERB_ISSUER) buf_add_str(out, STR("add list test remove"));
    if (verb == VERB_TENANT) buf_add_str(out, STR("add list set remove"));
    if (verb == VERB_ACCESS) buf_add_str(out, STR("apply export explain refusals"));
    if (verb != VERB_HELP) return;
    for (enum verb other = 0; other < VERB_COUNT; other++)
        if (shown(other)) buf_printf(out, "%s%s", other ? " " : "", verb_specs[other].word);
}

static void add_choice_words(const struct option_spec *spec, struct buf *out)
{
    for (const char *c = spec->value; *c; c++) buf_add_char(out, *c == '|' ? ' ' : *c);
}

/* ---- bash ---- */

static void add_bash_value(enum verb verb, enum option option, struct buf *out)
{
    const struct option_spec *spec = &option_specs[option];
    buf_printf(out, "    \"%s --%s\"", verb_specs[verb].word, spec->flag);
    if (spec->letter) buf_printf(out, "|\"%s -%c\"", verb_specs[verb].word, spec->letter);
    buf_add_str(out, STR(") "));
    if (spec->type == OPTION_TYPE_CHOICE) {
        buf_add_str(out, STR("COMPREPLY=($(compgen -W \""));
        add_choice_words(spec, out);
        buf_add_str(out, STR("\" -- \"$word\")); "));
    } else if (spec->type == OPTION_TYPE_FILE) {
        buf_add_str(out, STR("COMPREPLY=($(compgen -f -- \"$word\")); "));
    } else if (spec->type == OPTION_TYPE_DIRECTORY) {
        buf_add_str(out, STR("COMPREPLY=($(compgen -d -- \"$word\")); "));
    }
    buf_add_str(out, STR("return ;;\n"));
}

static void add_bash_verb(enum verb verb, struct buf *out)
{
    buf_printf(out, "    %s) flags=\"", verb_specs[verb].word);
    for (enum option option = 0; option < OPTION_COUNT; option++)
        if (applies(option, verb)) buf_printf(out, "--%s ", option_specs[option].flag);
    buf_add_str(out, STR("--help\" words=\""));
    add_argument_words(verb, out);
    buf_printf(out, "\" files=%s ;;\n", takes_file(verb) ? "yes" : "");
}

void docs_bash(struct buf *out)
{
    buf_add_str(out, STR("# bash completion for pawl\n"
                         "_pawl() {\n"
                         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                         "  local verb=${COMP_WORDS[1]} flags= words= files=\n"
                         "  COMPREPLY=()\n"
                         "  if ((COMP_CWORD == 1)); then\n"
                         "    COMPREPLY=($(compgen -W \""));
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        if (shown(verb)) buf_printf(out, "%s ", verb_specs[verb].word);
    buf_add_str(out, STR("--help --version\" -- \"$word\"))\n"
                         "    return\n"
                         "  fi\n"
                         "  case \"$verb $before\" in\n"));
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        for (enum option option = 0; option < OPTION_COUNT; option++)
            if (applies(option, verb) && needs_value(option)) add_bash_value(verb, option, out);
    buf_add_str(out, STR("  esac\n  case \"$verb\" in\n"));
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        if (shown(verb)) add_bash_verb(verb, out);
    buf_add_str(out, STR("  esac\n"
                         "  if [[ $word == -* ]]; then\n"
                         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
                         "  else\n"
                         "    COMPREPLY=($(compgen -W \"$words\" ${files:+-f} -- \"$word\"))\n"
                         "  fi\n"
                         "}\n"
                         "complete -o filenames -F _pawl pawl\n"));
}

/* ---- zsh ---- */

/* Inside '…[…]': quotes, brackets and colons would end it. */
static void add_zsh_text(const char *text, struct buf *out)
{
    for (; *text; text++) {
        if (*text == '\'') {
            buf_add_str(out, STR("'\\''"));
            continue;
        }
        if (strchr("[]:\\", *text)) buf_add_char(out, '\\');
        buf_add_char(out, *text);
    }
}

static void add_zsh_option(enum option option, struct buf *out)
{
    const struct option_spec *spec = &option_specs[option];
    bool repeats = spec->type == OPTION_TYPE_LIST || spec->type == OPTION_TYPE_ALL_OR_LIST;
    buf_printf(out, "        '%s--%s%s[", repeats ? "*" : "", spec->flag,
               needs_value(option)                     ? "="
               : spec->type == OPTION_TYPE_ALL_OR_LIST ? "=-"
                                                       : "");
    add_zsh_text(spec->help, out);
    buf_add_char(out, ']');
    switch (spec->type) {
    case OPTION_TYPE_FLAG: break;
    case OPTION_TYPE_ALL_OR_LIST:
        buf_add_str(out, STR("::"));
        add_zsh_text(spec->value, out);
        buf_add_char(out, ':');
        break;
    case OPTION_TYPE_CHOICE:
        buf_add_str(out, STR(":word:("));
        add_choice_words(spec, out);
        buf_add_char(out, ')');
        break;
    case OPTION_TYPE_FILE: buf_add_str(out, STR(":file:_files")); break;
    case OPTION_TYPE_DIRECTORY: buf_add_str(out, STR(":directory:_files -/")); break;
    case OPTION_TYPE_TEXT:
    case OPTION_TYPE_NUMBER:
    case OPTION_TYPE_DURATION:
    case OPTION_TYPE_LIST:
        buf_add_char(out, ':');
        add_zsh_text(spec->value, out);
        buf_add_char(out, ':');
        break;
    }
    buf_add_str(out, STR("' \\\n"));
}

static void add_zsh_verb(enum verb verb, struct buf *out)
{
    struct buf words;
    buf_printf(out, "    %s)\n      _arguments \\\n", verb_specs[verb].word);
    for (enum option option = 0; option < OPTION_COUNT; option++)
        if (applies(option, verb)) add_zsh_option(option, out);
    buf_add_str(out, STR("        '--help[explain the verb]'"));
    buf_init(&words, NULL);
    add_argument_words(verb, &words);
    if (words.n) buf_printf(out, " \\\n        '1:word:(%.*s)'", (int)words.n, words.p);
    if (takes_file(verb)) buf_add_str(out, STR(" \\\n        '*:file:_files'"));
    buf_done(&words);
    buf_add_str(out, STR("\n      ;;\n"));
}

void docs_zsh(struct buf *out)
{
    buf_add_str(out, STR("#compdef pawl\n"
                         "_pawl() {\n"
                         "  local -a verbs\n"
                         "  verbs=(\n"));
    for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
        if (!shown(verb)) continue;
        buf_printf(out, "    '%s:", verb_specs[verb].word);
        add_zsh_text(verb_specs[verb].summary, out);
        buf_add_str(out, STR("'\n"));
    }
    buf_add_str(out, STR("  )\n"
                         "  if ((CURRENT == 2)); then\n"
                         "    _describe verb verbs\n"
                         "    return\n"
                         "  fi\n"
                         "  local verb=$words[2]\n"
                         "  shift words\n"
                         "  ((CURRENT--))\n"
                         "  case $verb in\n"));
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        if (shown(verb)) add_zsh_verb(verb, out);
    buf_add_str(out, STR("  esac\n}\n_pawl \"$@\"\n"));
}

/* ---- fish ---- */

static void add_fish_text(const char *text, struct buf *out)
{
    buf_add_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') buf_add_char(out, '\\');
        buf_add_char(out, *text);
    }
    buf_add_char(out, '\'');
}

static void add_fish_option(enum option option, struct buf *out)
{
    const struct option_spec *spec = &option_specs[option];
    buf_add_str(out, STR("complete -c pawl -n '__fish_seen_subcommand_from"));
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        if (applies(option, verb) && shown(verb)) buf_printf(out, " %s", verb_specs[verb].word);
    buf_printf(out, "' -l %s", spec->flag);
    if (spec->letter) buf_printf(out, " -s %c", spec->letter);
    if (spec->type == OPTION_TYPE_CHOICE) {
        buf_add_str(out, STR(" -x -a '"));
        add_choice_words(spec, out);
        buf_add_char(out, '\'');
    } else if (spec->type == OPTION_TYPE_FILE) {
        buf_add_str(out, STR(" -r -F"));
    } else if (spec->type == OPTION_TYPE_DIRECTORY) {
        buf_add_str(out, STR(" -x -a '(__fish_complete_directories)'"));
    } else if (needs_value(option)) {
        buf_add_str(out, STR(" -x"));
    }
    buf_add_str(out, STR(" -d "));
    add_fish_text(spec->help, out);
    buf_add_char(out, '\n');
}

void docs_fish(struct buf *out)
{
    buf_add_str(out, STR("# fish completion for pawl\ncomplete -c pawl -f\n"));
    for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
        if (!shown(verb)) continue;
        buf_printf(out, "complete -c pawl -n __fish_use_subcommand -a %s -d ", verb_specs[verb].word);
        add_fish_text(verb_specs[verb].summary, out);
        buf_add_char(out, '\n');
    }
    for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
        struct buf words;
        buf_init(&words, NULL);
        add_argument_words(verb, &words);
        if (words.n)
            buf_printf(out, "complete -c pawl -n '__fish_seen_subcommand_from %s' -a '%.*s'\n",
                       verb_specs[verb].word, (int)words.n, words.p);
        if (takes_file(verb))
            buf_printf(out, "complete -c pawl -n '__fish_seen_subcommand_from %s' -F\n",
                       verb_specs[verb].word);
        buf_done(&words);
    }
    for (enum option option = 0; option < OPTION_COUNT; option++) add_fish_option(option, out);
}
