/* Messages made from inputs, addresses, and servers: all that the e-mail performer does before it sends. */
#include "perform/mail/mail_int.h"

#include "documents.h"
#include "perform/limits.h"

#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int open_arena(void **state)
{
    struct arena *arena = malloc(sizeof *arena);
    arena_init(arena, 0);
    *state = arena;
    return 0;
}

static int close_arena(void **state)
{
    arena_done(*state);
    free(*state);
    return 0;
}

static struct engine_job job_of(struct arena *arena, const struct json *input)
{
    return (struct engine_job){ .arena = arena,
                                .input = input,
                                .idempotency_key = STR("01ARZ3NDEKTSV4RRFFQ69G5FAV/send mail/7"),
                                .now_ms = 1767225600000 }; /* 2026-01-01T00:00:00Z, a Thursday. */
}

static str error_member(const struct engine_job *job, const char *name)
{
    return json_string(json_get(job->error, str_of(name)));
}

/* ---- addresses ---- */

static void addresses_are_read_as_people_write_them(void **state)
{
    static const struct {
        const char *text, *name, *address; /* Of the last one; NULL: refused. */
        size_t count;
    } cases[] = {
        { "ann@a.example", "", "ann@a.example", 1 },
        { "  ann@a.example ", "", "ann@a.example", 1 },
        { "Ann Other <ann@a.example>", "Ann Other", "ann@a.example", 1 },
        { "\"Other, Ann\" <ann@a.example>", "Other, Ann", "ann@a.example", 1 },
        { "\"a \\\"b\\\" c\" <ann@a.example>", "a \"b\" c", "ann@a.example", 1 },
        { "Änn <ann@a.example>, bob@b.example", "", "bob@b.example", 2 },
        { "<ann@a.example>", "", "ann@a.example", 1 },
        { "o'neil+tag@a-b.example", "", "o'neil+tag@a-b.example", 1 },
        { "\"a b@c\"@a.example", "", "\"a b@c\"@a.example", 1 },
        { "jörg@a.example", "", "jörg@a.example", 1 },
        { "ann@[192.0.2.1]", "", "ann@[192.0.2.1]", 1 },
        { "ann@localhost", "", "ann@localhost", 1 },
        { "", NULL, NULL, 0 },
        { "ann", NULL, NULL, 0 },
        { "@a.example", NULL, NULL, 0 },
        { "ann@", NULL, NULL, 0 },
        { "ann@a..example", NULL, NULL, 0 },
        { "ann@.example", NULL, NULL, 0 },
        { "ann@-a.example", NULL, NULL, 0 },
        { ".ann@a.example", NULL, NULL, 0 },
        { "a..b@a.example", NULL, NULL, 0 },
        { "ann other@a.example", NULL, NULL, 0 },
        { "Ann <ann@a.example", NULL, NULL, 0 },
        { "Ann <ann@a.example> x", NULL, NULL, 0 },
        { "<ann@a.example> SIZE=1>", NULL, NULL, 0 },
        { "ann@a.example,", NULL, NULL, 0 },
        { "ann@a.example,,bob@b.example", NULL, NULL, 0 },
        { "ann@a.example\r\nRCPT TO:<x@y.example>", NULL, NULL, 0 },
        { "Ann\nBcc: x@y.example <ann@a.example>", NULL, NULL, 0 },
        { "\xff@a.example", NULL, NULL, 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mailboxes list = { 0 };
        const char *wrong = mailbox_read_list(str_of(cases[i].text), *state, &list);
        if (!wrong != (cases[i].address != NULL)) fail_msg("%s: %s", cases[i].text, wrong ? wrong : "taken");
        if (wrong) continue;
        assert_int_equal(list.count, cases[i].count);
        assert_true(str_equal(list.item[list.count - 1].name, str_of(cases[i].name)));
        assert_true(str_equal(list.item[list.count - 1].address, str_of(cases[i].address)));
    }
}

static void there_is_a_most_of_addresses(void **state)
{
    for (size_t over = 0; over < 2; over++) {
        struct buf text;
        buf_init(&text, *state);
        for (size_t i = 0; i < MAIL_RECIPIENTS_MAX + over; i++)
            buf_printf(&text, "%sa%zu@a.example", i ? "," : "", i);
        struct mailboxes list = { 0 };
        assert_int_equal(mailbox_read_list(buf_str(&text), *state, &list) != NULL, over);
    }
}

/* ---- messages ---- */

/* Each row has an input and either parts that its message has, or the name of its error. */
static void messages_are_made_of_inputs(void **state)
{
    struct json_each each = json_each(document_value("perform/mail", "messages"));
    while (json_next(&each)) {
        struct engine_job job = job_of(*state, json_get(each.value, STR("input")));
        struct mail_message message = { 0 };
        const struct json *error = json_get(each.value, STR("error"));
        bool made = mail_message_make(&job, STR("Engine <engine@pawl.example>"), &message);
        if (made == (error != NULL)) fail_msg("%s", document_text(each.value));
        if (error) {
            if (!str_equal(error_member(&job, "name"), json_string(error)))
                fail_msg("%s: %.*s", document_text(each.value), STR_ARG(error_member(&job, "name")));
            assert_int_equal(job.end, ENGINE_JOB_FAILED);
            assert_false(job.retryable);
            continue;
        }
        struct json_each part = json_each(json_get(each.value, STR("has")));
        while (json_next(&part))
            if (str_find(message.text, json_string(part.value), 0) == SIZE_MAX)
                fail_msg("%s is not in:\n%.*s", document_text(part.value), STR_ARG(message.text));
        part = json_each(json_get(each.value, STR("lacks")));
        while (json_next(&part))
            if (str_find(message.text, json_string(part.value), 0) != SIZE_MAX)
                fail_msg("%s is in:\n%.*s", document_text(part.value), STR_ARG(message.text));
        const struct json *utf8 = json_get(each.value, STR("utf8"));
        assert_int_equal(message.utf8, utf8 && json_bool(utf8));
    }
}

/* No line is too long for a server, and every line end is that of SMTP. */
static void every_line_can_be_sent(void **state)
{
    struct json_each each = json_each(document_value("perform/mail", "messages"));
    while (json_next(&each)) {
        struct engine_job job = job_of(*state, json_get(each.value, STR("input")));
        struct mail_message message;
        if (!mail_message_make(&job, STR("engine@pawl.example"), &message)) continue;
        size_t line = 0;
        for (size_t i = 0; i < message.text.n; i++) {
            char c = message.text.p[i];
            if (c == '\n') assert_true(i && message.text.p[i - 1] == '\r');
            if (c == '\r') assert_true(i + 1 < message.text.n && message.text.p[i + 1] == '\n');
            line = c == '\n' ? 0 : line + 1;
            assert_true(line <= 999);
        }
        assert_int_equal(line, 0);
    }
}

static void the_message_id_follows_from_the_key(void **state)
{
    const struct json *input = document_value("perform/mail", "plain");
    struct engine_job job = job_of(*state, input);
    struct mail_message first, second, third;
    assert_true(mail_message_make(&job, STR_NONE, &first));
    job.now_ms += 60000;
    job.attempt = 2;
    assert_true(mail_message_make(&job, STR_NONE, &second));
    assert_true(str_equal(first.id, second.id));
    assert_true(str_ends(first.id, STR("@a.example>")));
    assert_int_equal(str_find(first.id, STR(" "), 0), SIZE_MAX);
    job.idempotency_key = STR("01ARZ3NDEKTSV4RRFFQ69G5FAV/send_mail/7");
    assert_true(mail_message_make(&job, STR_NONE, &third));
    assert_false(str_equal(first.id, third.id));
}

static void hidden_recipients_are_in_the_envelope_only(void **state)
{
    struct engine_job job = job_of(*state, document_value("perform/mail", "hidden"));
    struct mail_message message;
    assert_true(mail_message_make(&job, STR_NONE, &message));
    assert_int_equal(message.recipients.count, 3);
    assert_true(str_equal(message.recipients.item[2].address, STR("hidden@c.example")));
    assert_int_equal(str_find(message.text, STR("hidden"), 0), SIZE_MAX);
}

/* ---- servers ---- */

static void servers_are_read(void **state)
{
    static const struct {
        const char *text, *url, *user, *password, *from; /* url NULL: refused. */
        enum mail_tls tls;
    } cases[] = {
        { "smtp://mail.example", "smtp://mail.example:25", "", "", "", MAIL_TLS_TRY },
        { " smtp://mail.example:2525/ ", "smtp://mail.example:2525", "", "", "", MAIL_TLS_TRY },
        { "smtps://mail.example", "smtps://mail.example:465", "", "", "", MAIL_TLS_IMPLICIT },
        { "smtp://ann:p%40ss@mail.example", "smtp://mail.example:587", "ann", "p@ss", "", MAIL_TLS_STARTTLS },
        { "smtp://ann%40a.example:x@mail.example?tls=none", "smtp://mail.example:587", "ann@a.example", "x",
          "", MAIL_TLS_NONE },
        { "smtp://[2001:db8::1]:26?from=a%40b.example&tls=starttls", "smtp://[2001:db8::1]:26", "", "",
          "a@b.example", MAIL_TLS_STARTTLS },
        { "{\"url\":\"smtp://mail.example\",\"user\":\"u\",\"password\":\"p:/@\",\"from\":\"a@b.example\"}",
          "smtp://mail.example:587", "u", "p:/@", "a@b.example", MAIL_TLS_STARTTLS },
        { "{\"url\":\"smtp://mail.example:25\",\"tls\":\"try\"}", "smtp://mail.example:25", "", "", "",
          MAIL_TLS_TRY },
        { "", NULL, NULL, NULL, NULL, 0 },
        { "mail.example", NULL, NULL, NULL, NULL, 0 },
        { "http://mail.example", NULL, NULL, NULL, NULL, 0 },
        { "smtp://", NULL, NULL, NULL, NULL, 0 },
        { "smtp://:25", NULL, NULL, NULL, NULL, 0 },
        { "smtp://mail.example:0", NULL, NULL, NULL, NULL, 0 },
        { "smtp://mail.example:65536", NULL, NULL, NULL, NULL, 0 },
        { "smtp://mail.example:x", NULL, NULL, NULL, NULL, 0 },
        { "smtp://mail.example/path", NULL, NULL, NULL, NULL, 0 },
        { "smtp://mail example", NULL, NULL, NULL, NULL, 0 },
        { "smtp://mail.example?tls=maybe", NULL, NULL, NULL, NULL, 0 },
        { "smtps://mail.example?tls=none", NULL, NULL, NULL, NULL, 0 },
        { "smtp://a:b%0d%0aQUIT@mail.example", NULL, NULL, NULL, NULL, 0 },
        { "{\"url\":5}", NULL, NULL, NULL, NULL, 0 },
        { "{}", NULL, NULL, NULL, NULL, 0 },
        { "{\"url\":\"smtp://mail.example\",\"password\":5}", NULL, NULL, NULL, NULL, 0 },
        { "{\"url\"", NULL, NULL, NULL, NULL, 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mail_server server = { 0 };
        const char *wrong = mail_server_read(str_of(cases[i].text), *state, &server);
        if (!wrong != (cases[i].url != NULL)) fail_msg("%s: %s", cases[i].text, wrong ? wrong : "taken");
        if (wrong) continue;
        assert_true(str_equal(server.url, str_of(cases[i].url)));
        assert_true(str_equal(server.user, str_of(cases[i].user)));
        assert_true(str_equal(server.password, str_of(cases[i].password)));
        assert_true(str_equal(server.from, str_of(cases[i].from)));
        assert_int_equal(server.tls, cases[i].tls);
    }
}

static void the_option_is_checked_without_showing_it(void **state)
{
    struct error err;
    assert_int_equal(mail_check_server(STR("smtp://mail.example"), *state, &err), ST_OK);
    assert_int_equal(mail_check_server(STR("vault:mail"), *state, &err), ST_OK);
    assert_int_equal(mail_check_server(STR("smtp://u:hidden-word@"), *state, &err), ST_INVALID);
    assert_null(strstr(err.message, "hidden-word"));
}

int main(void)
{
#define mail_test(function) cmocka_unit_test_setup_teardown(function, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        mail_test(addresses_are_read_as_people_write_them),
        mail_test(there_is_a_most_of_addresses),
        mail_test(messages_are_made_of_inputs),
        mail_test(every_line_can_be_sent),
        mail_test(the_message_id_follows_from_the_key),
        mail_test(hidden_recipients_are_in_the_envelope_only),
        mail_test(servers_are_read),
        mail_test(the_option_is_checked_without_showing_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
