/* cli/access/audit.c — `pawl audit`: who did what; as it happens; and whether rows were changed. */
#include "cli/access/actions.h"
#include "cli/client/listing.h"
#include "cli/output.h"

#include <time.h>

enum { PAUSE_MS = 1000, PAGE_ROWS = 200 };

/* ---- the question ---- */

static enum status read_question(const struct options *options, struct call_audit_rows *ret_asked,
                                 struct error *err)
{
    *ret_asked = (struct call_audit_rows){ .principal = option_text(options, OPTION_AUDIT_PRINCIPAL),
                                           .action = option_text(options, OPTION_AUDIT_ACTION),
                                           .object = option_text(options, OPTION_AUDIT_OBJECT),
                                           .outcome = option_text(options, OPTION_AUDIT_OUTCOME),
                                           .max = (size_t)option_number(options, OPTION_ROWS) };
    TRY(action_time(option_text(options, OPTION_AUDIT_SINCE), -1, "--since", &ret_asked->since_ms, err));
    return action_time(option_text(options, OPTION_AUDIT_UNTIL), -1, "--until", &ret_asked->until_ms, err);
}

/* ---- rows ---- */

static str who_of(struct client *client, const struct json *row)
{
    str principal = client_text(client, row, "principal"), person = client_text(client, row, "for");
    if (!person.n) return principal;
    return arena_printf(client->arena, "%.*s for %.*s", STR_ARG(principal), STR_ARG(person));
}

static void add_cells(struct client *client, const struct json *row, str *ret_cells)
{
    ret_cells[0] = client_time(client, row, "at");
    ret_cells[1] = client_text(client, row, "tenant");
    ret_cells[2] = who_of(client, row);
    ret_cells[3] = client_text(client, row, "way");
    ret_cells[4] = client_text(client, row, "action");
    ret_cells[5] = client_text(client, row, "object");
    ret_cells[6] = client_text(client, row, "outcome");
    ret_cells[7] = client_text(client, row, "address");
}

static int list(struct door *door, const struct call_audit_rows *asked)
{
    static const char *const headings[] = { "AT (UTC)", "TENANT",  "WHO",     "WAY", "ACTION",
                                            "OBJECT",   "OUTCOME", "ADDRESS", NULL };
    static const struct listing listing = { "rows", headings, add_cells };
    int code = door_audit(door, asked);
    return code ? code : listing_show(&door->client, &listing);
}

/* ---- as it happens ---- */

/* A row as one line: its cells between two blanks, or as JSON. */
static int print_row(struct door *door, const struct json *row)
{
    str cell[TABLE_COLUMNS_MAX] = { 0 };
    struct buf out;
    buf_init(&out, door->arena);
    add_cells(&door->client, row, cell);
    if (option_on(door->options, OPTION_JSON)) json_print(row, &out);
    for (size_t i = 0; i < TABLE_COLUMNS_MAX && !option_on(door->options, OPTION_JSON); i++) {
        if (!cell[i].n) continue;
        if (out.n) buf_add_str(&out, STR("  "));
        output_add_safe(&out, cell[i], false);
    }
    buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

/* The rows that are newer than `*last`, the oldest first. Keys of rows are in the order of their time: a
 * newer one is smaller. */
static int print_news(struct door *door, struct call_audit_rows asked, str *last, struct arena *kept)
{
    const struct json *page[16];
    size_t count = 0;
    int code = 0;
    bool more = true;
    while (more && count < COUNT(page) && !(code = door_audit(door, &asked))) {
        const struct json *items = json_get(door_answer(door), STR("items"));
        const struct json *oldest = json_item(items, json_count(items) ? json_count(items) - 1 : 0);
        page[count++] = items;
        asked.before = json_text(door_answer(door), STR("nextCursor"));
        more = last->n && asked.before.n && str_compare(json_text(oldest, STR("id")), *last) < 0;
    }
    str before = *last;
    for (size_t i = count; i-- > 0 && !code;)
        for (size_t k = json_count(page[i]); k-- > 0 && !code;) {
            const struct json *row = json_item(page[i], k);
            str id = json_text(row, STR("id"));
            if (before.n && str_compare(id, before) >= 0) continue;
            code = print_row(door, row);
            *last = arena_str(kept, id);
        }
    return code;
}

static int follow(struct door *door, struct call_audit_rows asked)
{
    const struct timespec pause = { .tv_sec = PAUSE_MS / 1000 };
    struct arena kept, *own = door->arena;
    str last = STR_NONE;
    arena_init(&kept, 0);
    int code = 0;
    for (bool first = true; !code; first = false) {
        struct arena scratch;
        arena_init(&scratch, 0);
        door->arena = door->client.arena = &scratch;
        if (!first) asked.max = PAGE_ROWS;
        code = print_news(door, asked, &last, &kept);
        door->arena = door->client.arena = own;
        door->client.answer = NULL;
        arena_done(&scratch);
        if (!code) nanosleep(&pause, NULL);
    }
    arena_done(&kept);
    return code;
}

/* ---- the chain ---- */

static int verify(struct door *door)
{
    int code = door_verify(door);
    if (code) return code;
    str broken = client_text(&door->client, door_answer(door), "broken");
    str checked = client_text(&door->client, door_answer(door), "checked");
    code = broken.n ? action_say(door, "the audit is broken: %.*s", STR_ARG(broken))
                    : action_say(door, "%.*s rows checked: none is changed or missing", STR_ARG(checked));
    return broken.n ? status_exit(ST_INTERNAL) : code;
}

/* ---- the verb ---- */

static int refuse(const char *why)
{
    output_complain("%s", why);
    return status_exit(ST_INVALID);
}

int verb_audit(const struct options *options)
{
    bool follows = option_on(options, OPTION_AUDIT_FOLLOW),
         verifies = option_on(options, OPTION_AUDIT_VERIFY);
    struct call_audit_rows asked;
    struct door door;
    struct error err;
    if (follows && verifies) return refuse("--follow and --verify do not go together");
    if (follows && option_text(options, OPTION_ACCESS_STORE).n)
        return refuse("nothing happens in a store that no engine uses: --follow needs an engine");
    if (read_question(options, &asked, &err) != ST_OK) return output_fail(&err);
    int code = door_open(&door, options);
    if (!code) code = verifies ? verify(&door) : follows ? follow(&door, asked) : list(&door, &asked);
    door_close(&door);
    return code;
}
