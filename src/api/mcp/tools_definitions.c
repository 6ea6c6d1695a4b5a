/* api/mcp/tools_definitions.c — tools about definitions: looked at, checked, explained, published. */
#include "api/mcp/mcp_int.h"

#include "base/must.h"
#include "source/source.h"

#include <stdlib.h>

#define DOCUMENT                                                                                         \
    "\"document\":{\"type\":\"object\",\"description\":\"The definition as an object.\"},"               \
    "\"text\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The definition as a text, JSON or " \
    "YAML: "                                                                                             \
    "problems then have their lines.\"}"
#define ONE_DOCUMENT "\"oneOf\":[{\"required\":[\"document\"]},{\"required\":[\"text\"]}]"
#define ID "\"definitionId\":{\"type\":\"string\",\"minLength\":1}"
#define PROBLEMS "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}"

/* The document that the arguments bring, as a text. */
static str document_text(struct mcp_work *work)
{
    struct buf out;
    const struct json *document = json_get(work->arguments, STR("document"));
    if (!document) return mcp_text(work, "text");
    buf_init(&out, work->arena);
    json_print(document, &out);
    return buf_str(&out);
}

/* ---- lists and documents ---- */

static enum status list(struct mcp_work *work, struct error *err)
{
    str target = mcp_query(work, STR("/api/definitions"), "keyword dialect warnings pageSize cursor");
    return mcp_ask(work, "GET", target, NULL, false, err);
}

const struct mcp_tool mcp_tool_list_definitions = {
    .name = "list_definitions",
    .title = "List definitions",
    .description =
        "Definitions of all families, with what runs, what failed last and what their authors should "
        "look at.",
    .method = "GET",
    .path = "/api/definitions",
    .hints = MCP_READS,
    .input =
        "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
        "\"keyword\":{\"type\":\"string\",\"description\":\"A part of the id or the name.\"},"
        "\"dialect\":{\"type\":\"string\",\"description\":\"The family: steps, serverless, graph, entity.\"},"
        "\"warnings\":{\"type\":\"boolean\",\"description\":\"Only those with warnings.\"},"
        "\"pageSize\":{\"type\":\"integer\",\"minimum\":1},\"cursor\":{\"type\":\"string\"}}}",
    .output = "{\"type\":\"object\",\"required\":[\"items\",\"pageSize\"],\"properties\":{"
              "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
              "\"pageSize\":{\"type\":\"integer\"},\"nextCursor\":{\"type\":\"string\"}}}",
    .begin = list,
};

static str document_path(struct mcp_work *work, str id)
{
    struct buf out;
    const struct json *version = json_get(work->arguments, STR("version"));
    buf_init(&out, work->arena);
    buf_add_str(&out, mcp_path(work, "/api/workflows/{}", id));
    if (!version) return buf_str(&out);
    PUT(&out, "/versions/");
    json_print(version, &out);
    return buf_str(&out);
}

static enum status get(struct mcp_work *work, struct error *err)
{
    str target = document_path(work, mcp_text(work, "definitionId"));
    return mcp_ask(work, "GET", target, NULL, false, err);
}

/* The document, and behind it what the engine knows about the definition. */
static enum status get_next(struct mcp_work *work, struct error *err)
{
    if (work->step == 1) {
        work->kept = work->answer;
        str target = mcp_path(work, "/api/definitions/{}", mcp_text(work, "definitionId"));
        return mcp_ask(work, "GET", target, NULL, false, err);
    }
    mcp_finish(work, mcp_with(work, work->kept, "summary", work->answer));
    return ST_OK;
}

const struct mcp_tool mcp_tool_get_definition = {
    .name = "get_definition",
    .title = "Read a definition",
    .description =
        "The document of a definition, its versions, its input schema, how it is started and how its "
        "runs fare.",
    .method = "GET",
    .path = "/api/workflows/x",
    .hints = MCP_READS,
    .input = "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"definitionId\"],"
             "\"properties\":{" ID
             ",\"version\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Without it the latest.\"}}}",
    .output = "{\"type\":\"object\",\"required\":[\"definitionId\",\"version\",\"document\"],\"properties\":{"
              "\"definitionId\":{\"type\":\"string\"},\"version\":{\"type\":\"integer\"},"
              "\"document\":{\"type\":\"object\"},\"summary\":{\"type\":\"object\"}}}",
    .begin = get,
    .next = get_next,
};

/* ---- checks ---- */

static enum status validate(struct mcp_work *work, struct error *err)
{
    return mcp_ask_text(work, "POST", STR("/api/checks"), document_text(work), false, err);
}

const struct mcp_tool mcp_tool_validate_definition = {
    .name = "validate_definition",
    .title = "Check a definition",
    .description =
        "Checks a document without publishing it: every problem with its place, a code and a hint how "
        "to repair it.",
    .method = "POST",
    .path = "/api/checks",
    .hints = MCP_READS,
    .input =
        "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" DOCUMENT "}," ONE_DOCUMENT "}",
    .output = "{\"type\":\"object\",\"required\":[\"valid\",\"errors\",\"warnings\"],\"properties\":{"
              "\"valid\":{\"type\":\"boolean\"},\"errors\":" PROBLEMS ",\"warnings\":" PROBLEMS "}}",
    .begin = validate,
};

/* ---- explained, beside the network's thread ---- */

struct explaining {
    struct aside_work aside;
    struct mcp_work *work;
    struct arena arena;
    str text;
    struct buf out;
    bool compiles;
};

static void explain_run(void *context)
{
    struct explaining *explaining = context;
    struct problems problems;
    problems_init(&problems, &explaining->arena);
    struct program *program = source_compile(explaining->text, SOURCE_ANY, 0, &problems, NULL);
    buf_init(&explaining->out, &explaining->arena);
    explaining->compiles = program != NULL;
    if (program) program_print(program, &explaining->out);
    else buf_add_str(&explaining->out, dialect_refusal(&problems, &explaining->arena));
    program_unref(program);
}

static void explain_drop(void *context)
{
    struct explaining *explaining = context;
    arena_done(&explaining->arena);
    free(explaining);
}

static void explain_done(void *context)
{
    struct explaining *explaining = context;
    struct mcp_work *work = explaining->work;
    str text = arena_str(work->arena, buf_str(&explaining->out));
    if (explaining->compiles)
        mcp_finish(work, json_set(work->arena, json_empty_object(), STR("explanation"),
                                  json_of_string(work->arena, text)));
    else mcp_fail_tool(work, text, NULL);
    explain_drop(explaining);
}

static void explain_aside(struct mcp_work *work, str text)
{
    struct explaining *explaining = calloc(1, sizeof *explaining);
    must(explaining);
    arena_init(&explaining->arena, 0);
    explaining->work = work;
    explaining->text = arena_str(&explaining->arena, text);
    explaining->aside = (struct aside_work){
        .run = explain_run, .done = explain_done, .drop = explain_drop, .context = explaining
    };
    if (work->api->config.loop) {
        aside_begin(work->api, &explaining->aside);
        return;
    }
    explain_run(explaining);
    explain_done(explaining);
}

/* A document that the arguments bring is checked first: who may not check it may not see it explained. */
static enum status explain(struct mcp_work *work, struct error *err)
{
    return mcp_text(work, "definitionId").n ? get(work, err) : validate(work, err);
}

static enum status explain_next(struct mcp_work *work, struct error *err)
{
    struct buf text;
    const struct json *document = json_get(work->answer, STR("document"));
    (void)err;
    if (!document) {
        explain_aside(work, document_text(work));
        return ST_OK;
    }
    buf_init(&text, work->arena);
    json_print(document, &text);
    explain_aside(work, buf_str(&text));
    return ST_OK;
}

const struct mcp_tool mcp_tool_explain_definition = {
    .name = "explain_definition",
    .title = "Explain a definition",
    .description =
        "What the engine does with a definition, node by node, in words: where it goes next, what it "
        "waits for, what happens to errors. Of a published definition or of a document.",
    .method = "GET",
    .path = "/api/workflows/x",
    .hints = MCP_READS,
    .input = "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" ID
             ",\"version\":{\"type\":\"integer\",\"minimum\":1}," DOCUMENT "},"
             "\"oneOf\":[{\"required\":[\"definitionId\"]},{\"required\":[\"document\"]},{\"required\":["
             "\"text\"]}]}",
    .output = "{\"type\":\"object\",\"required\":[\"explanation\"],\"properties\":{\"explanation\":{\"type\":"
              "\"string\"}}}",
    .begin = explain,
    .next = explain_next,
};

/* ---- published ---- */

static const struct json *deploy_body(struct mcp_work *work)
{
    struct json_builder body;
    str file = mcp_text(work, "file");
    json_builder_init(&body, work->arena);
    json_open_object(&body);
    json_add_name(&body, STR("documents"));
    json_open_array(&body);
    json_open_object(&body);
    json_add_text(&body, STR("file"), file.n ? file : STR("document"));
    json_add_text(&body, STR("text"), document_text(work));
    json_close(&body);
    json_close(&body);
    json_close(&body);
    return json_built(&body);
}

static str deploy_target(struct mcp_work *work, const char *path)
{
    return mcp_query(work, str_of(path), "revision");
}

static enum status deploy(struct mcp_work *work, struct error *err)
{
    return mcp_ask(work, "POST", deploy_target(work, "/api/apply?dryRun=true"), deploy_body(work), false,
                   err);
}

/* Runs begin and end all the time, so their number may change between the two calls. */
static enum status deploy_next(struct mcp_work *work, struct error *err)
{
    bool go;
    const struct json *result = json_item(json_get(work->answer, STR("results")), 0);
    if (work->step > 1) {
        mcp_finish(work, mcp_done(work, result));
        return ST_OK;
    }
    work->answer = result;
    mcp_confirm(work, json_without(work->arena, result, STR("livingRuns")), &go);
    if (!go) return ST_OK;
    return mcp_ask(work, "POST", deploy_target(work, "/api/apply"), deploy_body(work), true, err);
}

const struct mcp_tool mcp_tool_deploy_definition = {
    .name = "deploy_definition",
    .title = "Publish a definition",
    .description =
        "Publishes a document as the latest version of its definition. The first call is a dry run: it "
        "tells whether it is new or changed, its warnings and how many runs live, with a word for "
        "confirm. A call with that word publishes; it is refused if anything has changed.",
    .method = "POST",
    .path = "/api/apply",
    .hints = MCP_REPEATS,
    .input =
        "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" DOCUMENT
        ",\"file\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":1000,\"description\":\"The name of the "
        "file, for messages.\"},"
        "\"revision\":{\"type\":\"string\",\"minLength\":1,\"description\":\"The commit that it is from.\"},"
        "\"confirm\":{\"type\":\"string\",\"description\":\"The word that the dry run gave.\"}}," ONE_DOCUMENT
        "}",
    .output =
        "{\"type\":\"object\",\"required\":[\"dryRun\",\"result\"],\"properties\":{\"dryRun\":{\"type\":"
        "\"boolean\"},\"confirm\":{\"type\":\"string\"},\"result\":{\"type\":\"object\"}}}",
    .begin = deploy,
    .next = deploy_next,
};
