/* perform/mail/notice.c — e-mails about people's tasks: their words and their addresses.
 *
 * core/task.c says which people are asked.
 *
 * The words are the engine's own. The task's title and description are the only parts that an author, or
 * data, has written; line ends in the title become blanks, so that it stays one line of the subject.
 */
#include "perform/mail/mail_int.h"

#include "base/datetime.h"
#include "base/utf8.h"
#include "core/task.h"
#include "perform/limits.h"
#include "runtime/call/access_calls.h"

/* A title as a part of a line: control characters become blanks. */
static str one_line(str text, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    text = utf8_cut(text, NOTICE_TITLE_BYTES_MAX);
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        buf_add_char(&out, c < 0x20 || c == 0x7f ? ' ' : text.p[i]);
    }
    return mail_is_header_text(buf_str(&out)) ? buf_str(&out) : STR("a task");
}

static bool is_good_address(str address, struct arena *arena)
{
    struct mailboxes list = { 0 };
    return !mailbox_read_list(address, arena, &list) && list.count == 1;
}

static str title_of(const struct perform_notice *notice, struct arena *arena)
{
    str title = task_read(notice->details, notice->opened_ms).title;
    if (!title.n) title = notice->title;
    return one_line(title.n ? title : STR("a task"), arena);
}

static void say_time(struct buf *out, const char *words, int64_t ms)
{
    char text[DATETIME_CHARS + 1];
    if (!ms) return;
    datetime_print_seconds(ms, text);
    buf_printf(out, "%s: %s\n", words, text);
}

static str subject_of(const struct perform_notice *notice, struct arena *arena)
{
    bool is_reminder = str_equal(notice->kind, STR("reminder"));
    str title = title_of(notice, arena);
    return arena_printf(arena, "%s: %.*s", is_reminder ? "Reminder" : "For you now", STR_ARG(title));
}

static str body_of(const struct perform_notice *notice, str public_url, struct arena *arena)
{
    struct task_details task = task_read(notice->details, notice->opened_ms);
    bool is_reminder = str_equal(notice->kind, STR("reminder"));
    char id[ID_CHARS + 1];
    struct buf out;
    buf_init(&out, arena);
    buf_printf(&out, "%s\n\n%.*s\n",
               is_reminder ? "This task still waits for an answer."
                           : "Nobody has answered this task in time.",
               STR_ARG(title_of(notice, arena)));
    str description = utf8_cut(task.description, NOTICE_TEXT_BYTES_MAX);
    if (description.n) buf_printf(&out, "\n%.*s\n", STR_ARG(description));
    buf_add_char(&out, '\n');
    say_time(&out, "Asked", notice->opened_ms);
    say_time(&out, "Due", task.due_ms);
    if (task.assignee.n) buf_printf(&out, "It is with: %.*s\n", STR_ARG(one_line(task.assignee, arena)));
    else buf_add_str(&out, STR("Nobody has taken it yet.\n"));
    id_print(notice->task, id);
    if (public_url.n) buf_printf(&out, "\nAnswer it here: %.*s/ui/inbox/%s\n", STR_ARG(public_url), id);
    else buf_printf(&out, "\nThe task's id: %s\n", id);
    return buf_str(&out);
}

/* One person sees the own address. Several do not see those of each other. */
static void add_recipients(const struct perform_notice *notice, struct arena *arena,
                           struct json_builder *input)
{
    json_add_name(input, notice->who->count == 1 ? STR("to") : STR("bcc"));
    json_open_array(input);
    for (size_t i = 0; i < notice->who->count; i++)
        if (is_good_address(notice->who->address[i], arena)) json_add_string(input, notice->who->address[i]);
    json_close(input);
}

static size_t good_count(const struct perform_notice *notice, struct arena *arena)
{
    size_t count = 0;
    for (size_t i = 0; i < notice->who->count; i++) count += is_good_address(notice->who->address[i], arena);
    return count;
}

/* No person who is asked has an address: the reason names them. */
static bool fail_nobody(struct engine_job *job)
{
    const struct answer_recipients *who = job->notice->who;
    struct buf names;
    buf_init(&names, job->arena);
    for (size_t i = 0; i < who->without_count + who->count && names.n < NOTICE_TITLE_BYTES_MAX; i++) {
        str name = i < who->without_count ? who->without[i] : who->name[i - who->without_count];
        buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(name));
    }
    if (!names.n)
        return mail_fail_code(job, MAIL_ERROR_EMAIL_INPUT, REASON_NO_RECEIVER,
                              "the task asks nobody by name: it has no assignee, no assignees and no groups");
    return mail_fail_code(job, MAIL_ERROR_EMAIL_INPUT, REASON_NO_RECEIVER,
                          "no e-mail address is known of %.*s", STR_ARG(buf_str(&names)));
}

bool mail_notice_write(struct engine_job *job, str public_url)
{
    struct json_builder input;
    if (!good_count(job->notice, job->arena)) return fail_nobody(job);
    json_builder_init(&input, job->arena);
    json_open_object(&input);
    add_recipients(job->notice, job->arena, &input);
    json_add_text(&input, STR("subject"), subject_of(job->notice, job->arena));
    json_add_text(&input, STR("body"), body_of(job->notice, public_url, job->arena));
    json_close(&input);
    job->input = json_built(&input);
    return true;
}

static void add_names(struct json_builder *value, const char *member, const struct engine_job *job,
                      bool with_address)
{
    const struct answer_recipients *who = job->notice->who;
    json_add_name(value, str_of(member));
    json_open_array(value);
    for (size_t i = 0; i < who->count; i++)
        if (is_good_address(who->address[i], job->arena) == with_address)
            json_add_string(value, who->name[i]);
    for (size_t i = 0; !with_address && i < who->without_count; i++) json_add_string(value, who->without[i]);
    if (!with_address && who->cut) json_add_string(value, STR("and more people than one e-mail may have"));
    json_close(value);
}

const struct json *mail_notice_result(const struct engine_job *job, str refused)
{
    struct json_builder value;
    json_builder_init(&value, job->arena);
    json_open_object(&value);
    add_names(&value, "to", job, true);
    add_names(&value, "noAddress", job, false);
    if (refused.n && utf8_is_valid(refused)) json_add_text(&value, STR("refused"), refused);
    json_close(&value);
    return json_built(&value);
}
