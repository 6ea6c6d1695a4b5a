/* cli/client/task.c — one task of a person: shown, taken, given back, handed over, discussed, completed. */
#include "cli/client/client.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/table.h"

/* Options that become members of the body. */
static const struct task_field {
    enum option option;
    const char *name;
    bool is_list;
} members[] = {
    { OPTION_COMMENT, "comment", false },   { OPTION_DECISION, "decision", false },
    { OPTION_ASSIGNEE, "assignee", false }, { OPTION_TO_GROUPS, "groups", true },
    { OPTION_DUE, "due", false },           { OPTION_FOLLOW_UP, "followUp", false },
};

enum task_action_kind { SHOWS, COMMENTS, ASSIGNS, ANSWERS };

static const struct task_action {
    const char *word;
    enum task_action_kind kind;
} actions[] = {
    { "show", SHOWS },     { "claim", COMMENTS },   { "unclaim", COMMENTS },
    { "assign", ASSIGNS }, { "comment", COMMENTS }, { "complete", ANSWERS },
};

/* Which kinds of actions obey an option. */
static const struct task_option {
    enum option option;
    const char *word;
    unsigned kinds;
} task_options[] = {
    { OPTION_COMMENT, "comment", 1u << COMMENTS | 1u << ASSIGNS | 1u << ANSWERS },
    { OPTION_DECISION, "decision", 1u << ANSWERS },
    { OPTION_VARIABLE, "var", 1u << ANSWERS },
    { OPTION_INPUT, "input", 1u << ANSWERS },
    { OPTION_ASSIGNEE, "to", 1u << ASSIGNS },
    { OPTION_TO_GROUPS, "group", 1u << ASSIGNS },
    { OPTION_DUE, "due", 1u << ASSIGNS },
    { OPTION_FOLLOW_UP, "follow-up", 1u << ASSIGNS },
    { OPTION_PRIORITY, "priority", 1u << ASSIGNS },
};

static enum status check_options(const struct options *options, const struct task_action *action,
                                 struct error *err)
{
    for (size_t i = 0; i < COUNT(task_options); i++)
        if (options->value[task_options[i].option].given && !(task_options[i].kinds & 1u << action->kind))
            return fail(err, ST_INVALID, task_options[i].word, "--%s has no meaning for pawl task %s",
                        task_options[i].word, action->word);
    return ST_OK;
}

static const struct json *list_of(struct arena *arena, const struct option_value *value)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    for (size_t i = 0; i < value->list_count; i++) json_add_string(&builder, value->list[i]);
    json_close(&builder);
    return json_built(&builder);
}

static enum status body_of(const struct options *options, const struct task_action *action, str *ret_body,
                           struct error *err)
{
    struct arena *arena = options->arena;
    const struct json *body = json_empty_object(), *answer = NULL;
    for (size_t i = 0; i < COUNT(members); i++) {
        if (members[i].option == OPTION_COMMENT && action->kind == ANSWERS) continue; /* See act(). */
        const struct option_value *value = &options->value[members[i].option];
        str text = members[i].is_list ? STR_NONE : option_text(options, members[i].option);
        if (members[i].is_list ? !value->list_count : !text.n) continue;
        body = json_set(arena, body, str_of(members[i].name),
                        members[i].is_list ? list_of(arena, value) : json_of_string(arena, text));
    }
    if (options->value[OPTION_PRIORITY].given)
        body = json_set(arena, body, STR("priority"),
                        json_of_int(arena, options->value[OPTION_PRIORITY].number));
    if (action->kind == ANSWERS) TRY(input_variables(options, &answer, err));
    if (answer) body = json_set(arena, body, STR("answer"), answer);
    struct buf text;
    buf_init(&text, arena);
    json_print(body, &text);
    *ret_body = buf_str(&text);
    return ST_OK;
}

/* ---- for people ---- */

static void add_line(struct buf *out, const char *label, str value)
{
    if (!value.n) return;
    buf_printf(out, "%-12s", label);
    table_print_word(value, output_colours(), out);
    buf_add_char(out, '\n');
}

static void print_history(struct client *client, struct buf *out)
{
    struct json_each each = json_each(json_get(client->answer, STR("history")));
    for (const char *label = "history"; json_next(&each); label = "") {
        str at = client_time(client, each.value, "at"), what = client_text(client, each.value, "what");
        str by = client_text(client, each.value, "by"), comment = client_text(client, each.value, "comment");
        add_line(out, label,
                 arena_printf(client->arena, "%.*s  %.*s%s%.*s%s%.*s", STR_ARG(at), STR_ARG(what),
                              by.n ? " by " : "", STR_ARG(by), comment.n ? ": " : "", STR_ARG(comment)));
    }
}

static int print_task(struct client *client)
{
    static const struct {
        const char *label, *name;
        bool is_time, is_list;
    } lines[] = {
        { "task", "id", false, false },           { "title", "title", false, false },
        { "about", "description", false, false }, { "instance", "instanceId", false, false },
        { "at", "nodeId", false, false },         { "definition", "definitionId", false, false },
        { "key", "businessKey", false, false },   { "since", "createdAt", true, false },
        { "with", "assignee", false, false },     { "for", "assignees", false, true },
        { "groups", "groups", false, true },      { "due", "due", true, false },
        { "follow up", "followUp", true, false }, { "priority", "priority", false, false },
        { "answers", "decisions", false, true },  { "state", "state", false, false },
        { "decision", "decision", false, false }, { "ended", "endedAt", true, false },
        { "ended by", "endedBy", false, false },
    };
    if (option_on(client->options, OPTION_JSON)) return client_print_json(client);
    struct buf out;
    buf_init(&out, client->arena);
    for (size_t i = 0; i < COUNT(lines); i++)
        add_line(&out, lines[i].label,
                 lines[i].is_time   ? client_time(client, client->answer, lines[i].name)
                 : lines[i].is_list ? client_list(client, client->answer, lines[i].name)
                                    : client_text(client, client->answer, lines[i].name));
    print_history(client, &out);
    return output_write(buf_str(&out));
}

/* The engine's answer is empty, so this says what has happened. */
static int print_answered(struct client *client)
{
    const struct options *options = client->options;
    str task = options->argument[1], decision = option_text(options, OPTION_DECISION);
    struct buf out;
    buf_init(&out, client->arena);
    if (option_on(options, OPTION_JSON)) {
        const struct json *said =
            json_set(client->arena, json_empty_object(), STR("id"), json_of_string(client->arena, task));
        said = json_set(client->arena, said, STR("state"), json_of_string(client->arena, STR("completed")));
        if (decision.n)
            said = json_set(client->arena, said, STR("decision"), json_of_string(client->arena, decision));
        json_print(said, &out);
    } else {
        buf_add_str(&out, STR("task "));
        output_add_safe(&out, task, false);
        buf_add_str(&out, decision.n ? STR(" completed: ") : STR(" completed"));
        output_add_safe(&out, decision, false);
    }
    buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

/* ---- the verb ---- */

static int post(struct client *client, const char *word, str body)
{
    const str path[] = { client->options->argument[1], str_of(word) };
    return client_post(client, client_path(client, "/api/tasks/{}/{}", path), body, 0);
}

/* The comment on an answer goes before it, because nobody can comment on a task that has ended. */
static int comment_first(struct client *client)
{
    struct buf body;
    const struct json *comment = json_of_string(client->arena, option_text(client->options, OPTION_COMMENT));
    buf_init(&body, client->arena);
    json_print(json_set(client->arena, json_empty_object(), STR("comment"), comment), &body);
    str groups = client->groups;
    client->groups = STR_NONE; /* Only the answer needs them. */
    int code = post(client, "comment", buf_str(&body));
    client->groups = groups;
    return code;
}

static int act(struct client *client, const struct task_action *action)
{
    const struct options *options = client->options;
    if (action->kind == SHOWS) {
        int code = client_get(client, client_path(client, "/api/tasks/{}", &options->argument[1]));
        return code ? code : print_task(client);
    }
    struct error err;
    str body;
    if (body_of(options, action, &body, &err) != ST_OK) return output_fail(&err);
    bool answers = action->kind == ANSWERS;
    int code = answers && option_text(options, OPTION_COMMENT).n ? comment_first(client) : 0;
    if (!code) code = post(client, action->word, body);
    return code ? code : answers ? print_answered(client) : print_task(client);
}

int verb_task(const struct options *options)
{
    const struct task_action *action = NULL;
    struct client client;
    for (size_t i = 0; i < COUNT(actions); i++)
        if (str_equal(options->argument[0], str_of(actions[i].word))) action = &actions[i];
    if (!action) {
        output_complain("task: \"%.*s\" is not show, claim, unclaim, assign, comment or complete",
                        STR_ARG(options->argument[0]));
        return status_exit(ST_INVALID);
    }
    struct error err;
    if (check_options(options, action, &err) != ST_OK) return output_fail(&err);
    int code = client_open(&client, options);
    if (code) return code;
    code = act(&client, action);
    client_close(&client);
    return code;
}
