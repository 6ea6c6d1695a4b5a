/* cli/folder/export.c — `pawl export`: the folder of what an engine has.
 *
 * All of it is read before the first file is written. `pawl plan` of the folder finds no differences then.
 */
#include "base/array.h"
#include "base/text_map.h"
#include "cli/access/door.h"
#include "cli/folder/folder.h"
#include "cli/limits.h"
#include "cli/output.h"
#include "dialect/dialect.h"
#include "json/put.h"

struct exporting {
    struct client *client;
    struct arena *arena;
    struct folder_file *file;
    size_t count, cap;
    struct text_map exported; /* The ids of definitions. */
};

static void add_file(struct exporting *exporting, str path, const struct json *document)
{
    struct buf text;
    buf_init(&text, exporting->arena);
    json_print_pretty(document, &text);
    buf_add_char(&text, '\n');
    if (exporting->count == exporting->cap)
        exporting->file =
            array_grow_in(exporting->arena, exporting->file, &exporting->cap, sizeof *exporting->file);
    exporting->file[exporting->count++] = (struct folder_file){ path, buf_str(&text) };
}

/* ---- models ---- */

static const struct json *model_member(struct exporting *exporting, const char *pattern,
                                       const struct json *document, const char *member)
{
    str names[] = { json_text(document, STR("entityName")),
                    client_text(exporting->client, document, "modelVersion") };
    const struct json *answer =
        client_look(exporting->client, client_path(exporting->client, pattern, names));
    return member ? json_get(answer, str_of(member)) : answer;
}

static void warn_left_out(const struct json *document, const char *what)
{
    str name = json_text(document, STR("entityName"));
    output_complain("the model \"%.*s\": %s left out, because no document can hold them", STR_ARG(name),
                    what);
}

/* A document of workflows gets its model: a sample that makes the same one, and its change level. */
static int with_model(struct exporting *exporting, const struct json **document)
{
    const struct json *model =
        model_member(exporting, "/api/model/export/SAMPLE_DATA/{}/{}", *document, NULL);
    str name = json_text(*document, STR("entityName"));
    if (!model) {
        output_complain("the model \"%.*s\" cannot be read", STR_ARG(name));
        return status_exit(ST_STORE);
    }
    const struct json *fields = model_member(exporting, "/api/model/{}/{}/indexes", *document, "indexes");
    if (json_count(fields)) warn_left_out(*document, "its indexed fields are");
    if (json_count(json_get(model, STR("uniqueKeys")))) warn_left_out(*document, "its unique keys are");
    if (!str_equal(json_text(model, STR("currentState")), STR("LOCKED"))) {
        output_complain("the model \"%.*s\" is not locked; its sample would lock it and is left out",
                        STR_ARG(name));
        return 0;
    }
    str level = json_text(model, STR("changeLevel"));
    *document = json_set(exporting->arena, *document, STR("sample"), json_get(model, STR("model")));
    if (level.n)
        *document = json_set(exporting->arena, *document, STR("changeLevel"),
                             json_of_string(exporting->arena, level));
    return 0;
}

/* Models that have no definition yet, because they were never locked. */
static void warn_of_models(struct exporting *exporting)
{
    const struct json *models = client_look(exporting->client, STR("/api/model"));
    struct json_each each = json_each(models);
    while (models && json_next(&each)) {
        str name = json_text(each.value, STR("modelName"));
        if (str_equal(json_text(each.value, STR("currentState")), STR("LOCKED"))) continue;
        output_complain(
            "the model \"%.*s\", version %.*s, is not locked: it is left out, unless it has workflows",
            STR_ARG(name), STR_ARG(client_text(exporting->client, each.value, "modelVersion")));
    }
}

/* ---- definitions ---- */

static int export_definition(struct exporting *exporting, str id)
{
    struct client *client = exporting->client;
    int code = client_get(client, client_path(client, "/v1/definitions/{}", &id));
    if (code) return code;
    const struct json *document = client->answer;
    const struct dialect *dialect = dialect_of(document);
    if (!dialect) {
        output_complain("the definition \"%.*s\" is no object", STR_ARG(id));
        return status_exit(ST_INTERNAL);
    }
    /* The engine has added the number of the version. */
    if (!dialect->version_is_content) document = json_without(exporting->arena, document, STR("version"));
    if (dialect->has_entities) code = with_model(exporting, &document);
    if (code) return code;
    str name = folder_name_of(id, exporting->arena);
    add_file(exporting, arena_printf(exporting->arena, FOLDER_DEFINITIONS "/%.*s", STR_ARG(name)), document);
    text_map_put(&exporting->exported, id, exporting);
    return 0;
}

static int export_page(struct exporting *exporting, const struct json *items)
{
    struct json_each each = json_each(items);
    int code = 0;
    while (!code && json_next(&each)) {
        if (json_get(each.value, STR("retiredAt"))) continue;
        if (exporting->count == FOLDER_FILES_MAX) {
            output_complain("the engine has more than %d definitions (FOLDER_FILES_MAX)", FOLDER_FILES_MAX);
            return status_exit(ST_LIMIT);
        }
        code = export_definition(exporting, json_text(each.value, STR("id")));
    }
    return code;
}

static int export_definitions(struct exporting *exporting)
{
    struct client *client = exporting->client;
    int64_t seen = 0, total = 1;
    size_t listed = 1;
    for (int64_t page = 0; listed && seen < total; page++) {
        int code = client_get(client, folder_page(page, client->arena));
        if (code) return code;
        const struct json *items = json_get(client->answer, STR("items"));
        listed = json_count(items);
        seen += (int64_t)listed;
        (void)json_int64(json_get(client->answer, STR("total")), &total);
        code = export_page(exporting, items);
        if (code) return code;
    }
    return 0;
}

/* ---- triggers ---- */

static void add_trigger(struct json_builder *list, const struct json *item)
{
    str reason = json_text(item, STR("reason"));
    json_open_object(list);
    json_add_text(list, STR("definition"), json_text(item, STR("definitionId")));
    json_add_text(list, STR("trigger"), json_text(item, STR("trigger")));
    json_add_text(list, STR("state"), json_text(item, STR("state")));
    if (reason.n) json_add_text(list, STR("reason"), reason);
    json_close(list);
}

static int list_triggers(struct exporting *exporting, struct json_builder *list, size_t *ret_count)
{
    struct client *client = exporting->client;
    str cursor = STR_NONE;
    *ret_count = 0;
    do {
        str path = arena_printf(client->arena, "/api/triggers?pageSize=%d", FOLDER_PAGE);
        int code = client_get(client, client_with(client, path, "cursor", cursor));
        if (code) return code;
        struct json_each each = json_each(json_get(client->answer, STR("items")));
        while (json_next(&each)) {
            if (!text_map_get(&exporting->exported, json_text(each.value, STR("definitionId")))) continue;
            add_trigger(list, each.value);
            ++*ret_count;
        }
        cursor = json_text(client->answer, STR("nextCursor"));
    } while (cursor.n);
    return 0;
}

static int export_triggers(struct exporting *exporting)
{
    struct json_builder file;
    size_t count;
    json_builder_init(&file, exporting->arena);
    json_open_object(&file);
    json_add_name(&file, STR("triggers"));
    json_open_array(&file);
    int code = list_triggers(exporting, &file, &count);
    if (code) return code;
    json_close(&file);
    json_close(&file);
    if (count) add_file(exporting, STR("triggers.json"), json_built(&file));
    return 0;
}

/* ---- access ---- */

static int export_access(struct exporting *exporting)
{
    struct door door;
    const struct json *file;
    int code = door_open(&door, exporting->client->options);
    if (code) return code;
    code = door_export(&door, false, &file);
    if (!code) add_file(exporting, STR("access.json"), file);
    door_close(&door);
    return code;
}

/* ---- all of it ---- */

static int gather(struct exporting *exporting)
{
    int code = export_definitions(exporting);
    if (!code) code = export_triggers(exporting);
    if (!code && option_on(exporting->client->options, OPTION_WITH_ACCESS)) code = export_access(exporting);
    if (!code) warn_of_models(exporting);
    return code;
}

static int write_folder(struct exporting *exporting, const char *directory)
{
    struct error err;
    if (folder_write(directory, exporting->file, exporting->count, exporting->arena, &err) != ST_OK)
        return output_fail(&err);
    if (!option_on(exporting->client->options, OPTION_JSON))
        return output_write(arena_printf(exporting->arena, "%zu file%s in %s\n", exporting->count,
                                         exporting->count == 1 ? "" : "s", directory));
    struct buf out;
    buf_init(&out, exporting->arena);
    PUT(&out, "{\"files\":[");
    for (size_t i = 0; i < exporting->count; i++) {
        if (i) buf_add_char(&out, ',');
        put_text(&out, exporting->file[i].path);
    }
    PUT(&out, "]}\n");
    return output_write(buf_str(&out));
}

int verb_export(const struct options *options)
{
    const char *directory = options->argument[0].p;
    struct client client;
    struct error err;
    if (folder_check_target(directory, option_on(options, OPTION_OVERWRITE), &err) != ST_OK)
        return output_fail(&err);
    int code = client_open(&client, options);
    if (code) return code;
    struct exporting exporting = { .client = &client, .arena = client.arena };
    text_map_init(&exporting.exported);
    code = gather(&exporting);
    if (!code) code = write_folder(&exporting, directory);
    text_map_done(&exporting.exported);
    client_close(&client);
    return code;
}
