/* cli/client/modify.c — repair of an instance by hand. */
#include "cli/input.h"
#include "cli/client/instance.h"
#include "cli/output.h"

#include "base/must.h"
#include "base/utf8.h"

/* "from:to" in two; "from->to" if the names have colons. */
static enum status split_move(str text, str *ret_from, str *ret_to, struct error *err)
{
    size_t at = str_find(text, STR("->"), 0), skip = 2;
    if (at == SIZE_MAX) {
        at = str_find(text, STR(":"), 0), skip = 1;
        if (at != SIZE_MAX && str_find(text, STR(":"), at + 1) != SIZE_MAX)
            return fail(err, ST_INVALID, "--move", "--move: \"%.*s\" has several colons: write FROM->TO",
                        STR_ARG(text));
    }
    if (at == SIZE_MAX || at == 0 || at + skip == text.n)
        return fail(err, ST_INVALID, "--move", "--move: \"%.*s\" is not FROM:TO", STR_ARG(text));
    *ret_from = str_slice(text, 0, at);
    *ret_to = str_slice(text, at + skip, text.n);
    return ST_OK;
}

static enum status add_moves(const struct option_value *moves, struct json_builder *body, struct error *err)
{
    json_add_name(body, STR("move"));
    json_open_array(body);
    for (size_t i = 0; i < moves->list_count; i++) {
        str from, to;
        TRY(split_move(moves->list[i], &from, &to, err));
        json_open_object(body);
        json_add_text(body, STR("from"), from);
        json_add_text(body, STR("to"), to);
        json_close(body);
    }
    json_close(body);
    return ST_OK;
}

static void add_additions(const struct option_value *additions, struct json_builder *body)
{
    json_add_name(body, STR("add"));
    json_open_array(body);
    for (size_t i = 0; i < additions->list_count; i++) {
        str text = additions->list[i];
        size_t at = str_find(text, STR("@"), 0);
        json_open_object(body);
        json_add_text(body, STR("step"), str_slice(text, 0, at == SIZE_MAX ? text.n : at));
        if (at != SIZE_MAX) json_add_text(body, STR("beside"), str_slice(text, at + 1, text.n));
        json_close(body);
    }
    json_close(body);
}

static void add_list(const struct option_value *list, const char *name, struct json_builder *body)
{
    json_add_name(body, str_of(name));
    json_open_array(body);
    for (size_t i = 0; i < list->list_count; i++) json_add_string(body, list->list[i]);
    json_close(body);
}

static enum status check_utf8(const struct options *options, struct error *err)
{
    static const enum option lists[] = { OPTION_UNSET, OPTION_MOVE, OPTION_ADD, OPTION_CANCEL_TOKEN };
    for (size_t i = 0; i < COUNT(lists); i++)
        for (size_t k = 0; k < options->value[lists[i]].list_count; k++)
            if (!utf8_is_valid(options->value[lists[i]].list[k]))
                return fail(err, ST_INVALID, "", "--%s: not UTF-8", option_specs[lists[i]].flag);
    if (!utf8_is_valid(option_text(options, OPTION_REASON)))
        return fail(err, ST_INVALID, "", "--reason: not UTF-8");
    return ST_OK;
}

static enum status make_body(const struct options *options, const struct json **ret_body, struct error *err)
{
    const struct json *set;
    struct json_builder body;
    TRY(check_utf8(options, err));
    TRY(input_assignments(&options->value[OPTION_SET], "--set", options->arena, &set, err));
    json_builder_init(&body, options->arena);
    json_open_object(&body);
    json_add_name(&body, STR("set"));
    json_add(&body, set);
    add_list(&options->value[OPTION_UNSET], "unset", &body);
    TRY(add_moves(&options->value[OPTION_MOVE], &body, err));
    add_additions(&options->value[OPTION_ADD], &body);
    add_list(&options->value[OPTION_CANCEL_TOKEN], "cancel", &body);
    json_add_name(&body, STR("ifRevision"));
    json_add_int(&body, option_number(options, OPTION_IF_REVISION));
    if (option_text(options, OPTION_REASON).n)
        json_add_text(&body, STR("reason"), option_text(options, OPTION_REASON));
    json_close(&body);
    *ret_body = json_built(&body);
    return ST_OK;
}

static void print_modified(struct client *client, struct buf *out)
{
    const struct json *answer = client->answer;
    if (option_on(client->options, OPTION_DRY_RUN)) {
        buf_add_str(out, STR("dry run: nothing was changed\n"));
        instance_print_tokens(client, json_get(answer, STR("before")), "was at", out);
        buf_add_str(out, STR("it would be\n"));
    }
    instance_print(client, json_get(answer, STR("instance")), out);
    str revision = client_text(client, answer, "revision");
    buf_printf(out, "%-12s%.*s\n", "revision", STR_ARG(revision));
    instance_print_tokens(client, json_get(answer, STR("tokens")), "why", out);
}

int verb_modify(const struct options *options)
{
    const struct json *body;
    struct client client;
    struct error err;
    struct buf text, out;
    if (make_body(options, &body, &err) != ST_OK) return output_fail(&err);
    int code = client_open(&client, options);
    if (code) return code;
    buf_init(&text, client.arena);
    buf_init(&out, client.arena);
    json_print(body, &text);
    str path = client_path(&client, "/v1/instances/{}/modify", options->argument);
    if (option_on(options, OPTION_DRY_RUN)) path = client_with(&client, path, "dryRun", STR("true"));
    code = client_post(&client, path, buf_str(&text), 0);
    if (!code && option_on(options, OPTION_JSON)) {
        code = client_print_json(&client);
    } else if (!code) {
        print_modified(&client, &out);
        code = output_write(buf_str(&out));
    }
    client_close(&client);
    return code;
}
