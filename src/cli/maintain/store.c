/* cli/maintain/store.c — `pawl store`: checks a store, describes it, backs it up, forgets its secrets. */
#include "store/store.h"

#include "base/utf8.h"

#include "cli/maintain/backup_note.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/maintain/store_copy.h"
#include "runtime/entities/entities.h"
#include "source/source.h"
#include "store/copy/forget.h"

#include <stdio.h>

#define SERVICE_DATA "/var/lib/pawl"

static enum status store_path(const struct options *options, const char **ret_path, struct error *err)
{
    const char *data;
    options_store(options, ret_path, &data);
    if (!*ret_path && !data) return fail(err, ST_INVALID, "--store", "a store in memory cannot be looked at");
    if (!*ret_path) *ret_path = arena_printf(options->arena, "%s/pawl.db", data).p;
    return ST_OK;
}

/* Complains, and says how others reach the store of an engine that runs as a service. */
static int refuse(const struct options *options, const struct error *err)
{
    output_complain("%s", err->message);
    if (err->status == ST_NOT_FOUND && !options->value[OPTION_DATA].given)
        output_complain(
            "say where the store is with --data DIR; the unit and the packages have it in " SERVICE_DATA);
    if (err->status == ST_FORBIDDEN)
        output_complain(
            "run this as the engine's user or as root, such as \"runuser -u pawl -- pawl store …\"");
    return status_exit(err->status);
}

/* Opens an existing store: creates nothing and migrates nothing. */
static int open_store(const struct options *options, struct store **ret_store)
{
    struct store_config config = { .read_only = true, .must_not_migrate = true };
    struct error err;
    if (store_path(options, &config.path, &err) != ST_OK) return output_fail(&err);
    if (store_open(&config, ret_store, &err) == ST_OK) return 0;
    if (err.status == ST_NOT_FOUND || err.status == ST_FORBIDDEN) return refuse(options, &err);
    /* A URI may hold a password. */
    output_complain("%s: %s", strstr(config.path, "://") ? "the database" : config.path, err.message);
    return status_exit(err.status);
}

static int finish(const struct json *result, const struct options *options, str text)
{
    struct buf out;
    if (!option_on(options, OPTION_JSON)) return output_write(text);
    buf_init(&out, options->arena);
    json_print_pretty(result, &out);
    buf_add_char(&out, '\n');
    return output_write(buf_str(&out));
}

/* ---- check ---- */

struct findings {
    struct buf lines;
    struct json_builder list;
    size_t count;
};

static void found(void *context, const char *sentence)
{
    struct findings *findings = context;
    findings->count++;
    buf_printf(&findings->lines, "%s\n", sentence);
    json_add_string(&findings->list, str_of(sentence));
}

static struct program *compile(str source, struct arena *arena)
{
    struct problems problems;
    problems_init(&problems, arena);
    return source_compile(source, SOURCE_JSON, source.n, &problems, NULL);
}

static int check(const struct options *options)
{
    struct findings findings = { .count = 0 };
    struct store *store;
    struct error err;
    int64_t instances;
    int code = open_store(options, &store);
    if (code) return code;

    buf_init(&findings.lines, options->arena);
    json_builder_init(&findings.list, options->arena);
    json_open_array(&findings.list);
    enum status status =
        store_check(store, option_on(options, OPTION_DEEP), compile, found, &findings, &instances, &err);
    if (status == ST_OK) status = entity_check_rows(store, found, &findings, &err);
    store_close(store);
    if (status != ST_OK) return output_fail(&err);

    json_close(&findings.list);
    buf_printf(&findings.lines, "%lld instance%s checked, %zu problem%s\n", (long long)instances,
               instances == 1 ? "" : "s", findings.count, findings.count == 1 ? "" : "s");
    struct json_builder builder;
    json_builder_init(&builder, options->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("instances"));
    json_add_int(&builder, instances);
    json_add_name(&builder, STR("problems"));
    json_add(&builder, json_built(&findings.list));
    json_close(&builder);
    code = finish(json_built(&builder), options, buf_str(&findings.lines));
    return findings.count ? status_exit(ST_INTERNAL) : code;
}

/* ---- info ---- */

static void count(struct json_builder *builder, struct buf *text, const char *name, int64_t value)
{
    json_add_name(builder, str_of(name));
    json_add_int(builder, value);
    buf_printf(text, "%-12s %lld\n", name, (long long)value);
}

static int info(const struct options *options)
{
    struct store_statistics statistics;
    struct store_reader *reader;
    struct store *store;
    struct error err;
    int code = open_store(options, &store);
    if (code) return code;
    enum status status = store_reader_open(store, &reader, &err);
    if (status == ST_OK) {
        status = reader_statistics(reader, &statistics, &err);
        store_reader_close(reader);
    }
    store_close(store);
    if (status != ST_OK) return output_fail(&err);

    struct json_builder builder;
    struct buf text;
    buf_init(&text, options->arena);
    json_builder_init(&builder, options->arena);
    json_open_object(&builder);
    count(&builder, &text, "definitions", statistics.definitions);
    for (enum instance_status i = 0; i < INSTANCE_STATUS_COUNT; i++)
        count(&builder, &text, instance_status_word(i), statistics.instances_by_status[i]);
    count(&builder, &text, "timers", statistics.timers);
    count(&builder, &text, "tasks", statistics.tasks);
    count(&builder, &text, "pending", statistics.pending);
    count(&builder, &text, "bytes", statistics.file_bytes);
    json_close(&builder);
    return finish(json_built(&builder), options, buf_str(&text));
}

/* ---- backup ---- */

static int backup(const struct options *options)
{
    const char *to = options->argument[1].p, *from, *database, *data;
    struct error err;
    if (store_path(options, &from, &err) != ST_OK) return output_fail(&err);
    if (store_backup(from, to, &err) != ST_OK) return refuse(options, &err);
    options_store(options, &database, &data);
    if (!database && data && backup_note_write(data, &err) != ST_OK)
        output_complain("the backup is made, but its time cannot be noted: %s", err.message);
    str name = utf8_is_valid(str_of(to)) ? str_of(to) : STR("?");
    const struct json *result =
        json_set(options->arena, json_empty_object(), STR("file"), json_of_string(options->arena, name));
    return finish(result, options, arena_printf(options->arena, "%s written\n", to));
}

/* ---- forget-secrets ---- */

struct forgotten {
    struct buf lines;
    struct json_builder list;
    size_t count;
};

static void forgot(void *context, str name)
{
    struct forgotten *forgotten = context;
    forgotten->count++;
    buf_printf(&forgotten->lines, "%.*s\n", STR_ARG(name));
    json_add_string(&forgotten->list, name);
}

static int forget_secrets(const struct options *options)
{
    struct forgotten forgotten = { .count = 0 };
    const char *path;
    struct error err;
    if (store_path(options, &path, &err) != ST_OK) return output_fail(&err);
    buf_init(&forgotten.lines, options->arena);
    json_builder_init(&forgotten.list, options->arena);
    json_open_array(&forgotten.list);
    if (store_forget_secrets(path, forgot, &forgotten, &err) != ST_OK) return refuse(options, &err);
    json_close(&forgotten.list);
    buf_printf(&forgotten.lines, "%zu secret%s removed%s\n", forgotten.count, forgotten.count == 1 ? "" : "s",
               forgotten.count ? "; set them again with `pawl secret set`" : "");
    const struct json *result =
        json_set(options->arena, json_empty_object(), STR("removed"), json_built(&forgotten.list));
    return finish(result, options, buf_str(&forgotten.lines));
}

int verb_store(const struct options *options)
{
    str what = options->argument[0];
    if (str_equal(what, STR("backup")) && options->argument_count == 2) return backup(options);
    if (str_equal(what, STR("check")) && options->argument_count == 1) return check(options);
    if (str_equal(what, STR("info")) && options->argument_count == 1) return info(options);
    if (str_equal(what, STR("copy")) && options->argument_count == 3) return store_copy_run(options);
    if (str_equal(what, STR("forget-secrets")) && options->argument_count == 1)
        return forget_secrets(options);
    output_complain("store does one of %s", verb_specs[VERB_STORE].arguments);
    return status_exit(ST_INVALID);
}
