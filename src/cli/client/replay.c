/* cli/client/replay.c — `pawl replay`: what would a changed document have done with runs that were?
 *
 * The engine tells of a run as a scenario (GET /api/instances/{id}/scenario): its start, and all that the
 * outside answered. The scenario is run here, on a store in memory: first as it was, and then with the other
 * document in the place of the definition. Nothing is written to the engine.
 */
#include "cli/client/client.h"
#include "cli/input.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "scenario/scenario.h"

enum { EXIT_OTHER_WAY = 1 };

/* How a run goes with the other document. */
enum replay_fate { SAME, OTHER, UNKNOWN, FATE_COUNT };

static const char *const fate_words[] = { "same", "other", "unknown" };

struct replaying {
    struct client client;
    str document; /* The text of the other document. */
    struct text_table table;
    struct json_builder items;
    size_t count[FATE_COUNT];
    str refused; /* The reason why the document cannot run at all. */
};

/* The scenario names the other document as a file, whatever its format is. */
static enum status read_document(void *context, str path, struct arena *arena, str *ret_text,
                                 struct error *err)
{
    (void)path, (void)arena, (void)err;
    *ret_text = ((const struct replaying *)context)->document;
    return ST_OK;
}

static enum status play(struct replaying *replaying, const struct json *scenario, struct arena *arena,
                        struct scenario_result *ret_result, struct error *err)
{
    str file = replaying->client.options->value[OPTION_WITH_DOCUMENT].text;
    struct suite suite;
    struct buf text;
    buf_init(&text, arena);
    json_print(scenario, &text);
    TRY(scenario_parse(buf_str(&text), file, read_document, replaying, arena, &suite, err));
    if (suite.count != 1) return fail(err, ST_INTERNAL, "", "the engine told of no run");
    scenario_run(&suite, 0, arena, ret_result);
    return ST_OK;
}

/* The scenario with the file in the place of the definition. */
static const struct json *with_document(const struct options *options, const struct json *scenario)
{
    struct arena *arena = options->arena;
    struct json_builder list;
    json_builder_init(&list, arena);
    json_open_array(&list);
    struct json_each each = json_each(json_get(scenario, STR("definitions")));
    for (bool is_first = true; json_next(&each); is_first = false)
        json_add(&list,
                 is_first ? json_of_string(arena, option_text(options, OPTION_WITH_DOCUMENT)) : each.value);
    json_close(&list);
    return json_set(arena, scenario, STR("definitions"), json_built(&list));
}

/* One line: where the path differs, or else what does, or why the run stopped. */
static str words_of(const struct scenario_result *result, struct arena *arena)
{
    const struct difference *first = result->difference;
    for (const struct difference *it = first; it; it = it->next)
        if (str_find(it->where, STR(".path"), 0) != SIZE_MAX) {
            first = it;
            break;
        }
    if (result->problem.n || !first) return arena_str(arena, result->problem);
    return arena_printf(arena, "%.*s: was %.*s, would be %.*s", STR_ARG(first->where),
                        STR_ARG(first->expected), STR_ARG(first->actual));
}

static enum replay_fate judge(struct replaying *replaying, const struct json *scenario, str *ret_words)
{
    struct arena *kept = replaying->client.arena, arena;
    struct scenario_result result;
    struct error err;
    enum replay_fate fate = UNKNOWN;
    arena_init(&arena, 0);
    if (play(replaying, scenario, &arena, &result, &err) != ST_OK) {
        *ret_words = arena_str(kept, str_of(err.message));
    } else if (!result.passed) {
        *ret_words = arena_printf(kept, "it cannot be repeated: %.*s", STR_ARG(words_of(&result, &arena)));
    } else if (play(replaying, with_document(replaying->client.options, scenario), &arena, &result, &err) !=
               ST_OK) {
        *ret_words = arena_str(kept, str_of(err.message));
    } else {
        fate = result.passed ? SAME : OTHER;
        *ret_words = result.passed ? STR_NONE : arena_str(kept, words_of(&result, kept));
        if (str_starts(result.problem, STR("a definition was refused"))) replaying->refused = *ret_words;
    }
    arena_done(&arena);
    return fate;
}

static void tell(struct replaying *replaying, const struct json *run, enum replay_fate fate, str words)
{
    struct client *client = &replaying->client;
    static const char *const members[] = { "id", "definitionVersion", "status" };
    replaying->count[fate]++;
    json_open_object(&replaying->items);
    for (size_t i = 0; i < COUNT(members); i++) {
        json_add_name(&replaying->items, str_of(members[i]));
        json_add(&replaying->items, json_get(run, str_of(members[i])));
    }
    json_add_name(&replaying->items, STR("way"));
    json_add_string(&replaying->items, str_of(fate_words[fate]));
    if (words.n) {
        json_add_name(&replaying->items, STR("reason"));
        json_add_string(&replaying->items, words);
    }
    json_close(&replaying->items);
    if (fate == SAME) return;
    table_add(&replaying->table,
              (str[]){ client_text(client, run, "id"), client_text(client, run, "definitionVersion"),
                       fate == OTHER ? STR("another way") : STR("not known"), words });
}

static void replay_one(struct replaying *replaying, const struct json *run)
{
    struct client *client = &replaying->client;
    str id = client_text(client, run, "id"), words = STR("the engine cannot tell how it ran");
    const struct json *scenario = client_look(client, client_path(client, "/api/instances/{}/scenario", &id));
    enum replay_fate fate = scenario ? judge(replaying, scenario, &words) : UNKNOWN;
    tell(replaying, run, fate, words);
}

static int print(struct replaying *replaying)
{
    const size_t *count = replaying->count;
    struct buf out;
    buf_init(&out, replaying->client.arena);
    json_close(&replaying->items);
    if (option_on(replaying->client.options, OPTION_JSON)) {
        buf_printf(&out, "{\"same\":%zu,\"other\":%zu,\"unknown\":%zu,\"items\":", count[SAME], count[OTHER],
                   count[UNKNOWN]);
        json_print(json_built(&replaying->items), &out);
        buf_add_str(&out, STR("}\n"));
    } else {
        if (count[OTHER] + count[UNKNOWN]) table_print(&replaying->table, output_colours(), &out);
        buf_printf(&out, "%zu go the same way, %zu go another way, %zu are not known\n", count[SAME],
                   count[OTHER], count[UNKNOWN]);
    }
    int code = output_write(buf_str(&out));
    return code ? code : count[OTHER] ? EXIT_OTHER_WAY : 0;
}

static int replay_all(struct replaying *replaying)
{
    struct client *client = &replaying->client;
    struct progress progress;
    str path = client_with(client, STR("/v1/instances"), "definitionId", client->options->argument[0]);
    int code =
        client_get(client, client_with(client, path, "pageSize", option_text(client->options, OPTION_ROWS)));
    if (code) return code;
    const struct json *runs = json_get(client->answer, STR("items"));
    struct json_each each = json_each(runs);
    progress_begin(&progress, "instances", json_count(runs));
    for (size_t i = 0; !replaying->refused.n && json_next(&each); i++) {
        progress_show(&progress, i);
        replay_one(replaying, each.value);
    }
    progress_clear(&progress);
    if (!replaying->refused.n) return print(replaying);
    output_complain("replay: %.*s", STR_ARG(replaying->refused));
    return status_exit(ST_INVALID);
}

int verb_replay(const struct options *options)
{
    static const char *const headings[] = { "INSTANCE", "VERSION", "GOES", "BECAUSE", NULL };
    struct replaying replaying = { 0 };
    struct error err;
    str file = option_text(options, OPTION_WITH_DOCUMENT);
    if (!file.n) {
        output_complain("replay needs --with FILE, the changed document");
        return status_exit(ST_INVALID);
    }
    if (input_read_file(arena_printf(options->arena, "%.*s", STR_ARG(file)).p, SCENARIO_BYTES_MAX,
                        options->arena, &replaying.document, &err) != ST_OK)
        return output_fail(&err);
    int code = client_open(&replaying.client, options);
    if (code) return code;
    table_init(&replaying.table, replaying.client.arena, headings);
    json_builder_init(&replaying.items, replaying.client.arena);
    json_open_array(&replaying.items);
    code = replay_all(&replaying);
    client_close(&replaying.client);
    return code;
}
