/* perform/compute_text.c — pure: the JSON of a request to a calculation node.
 *
 * The job's configuration (dialect/entity/lower_calls.c) says what is asked for. Its input is the entity's
 * document, and its token carries the entity's lifecycle (dialect/entity/entity.h).
 */
#include "perform/compute_performer.h"

#include "json/put.h"

static void put_member(struct buf *out, const char *name, str text)
{
    buf_printf(out, ",\"%s\":", name);
    put_text(out, text);
}

/* {"id","name"}: both are the name, since an author gives no other. */
static void put_named(struct buf *out, const char *what, str name)
{
    buf_printf(out, ",\"%s\":{\"id\":", what);
    put_text(out, name);
    put_member(out, "name", name);
}

static void put_entity(struct buf *out, const struct engine_job *job)
{
    static const char *const marks[] = { "state", "creationDate", "lastUpdateTime", "transactionId" };
    int64_t version = 0;
    json_int64(json_get(job->config, STR("modelVersion")), &version);
    PUT(out, ",\"payload\":{\"type\":\"JSON\",\"data\":");
    if (job->input) json_print(job->input, out);
    else PUT(out, "null");
    PUT(out, ",\"meta\":{\"id\":");
    put_text(out, json_text(job->carried, STR("id")));
    PUT(out, ",\"modelKey\":{\"name\":");
    put_text(out, json_text(job->config, STR("model")));
    PUT(out, ",\"version\":");
    put_int(out, version);
    buf_add_char(out, '}');
    for (size_t i = 0; i < COUNT(marks); i++)
        put_member(out, marks[i], json_text(job->carried, str_of(marks[i])));
    PUT(out, "}}");
}

void compute_text_write(const struct engine_job *job, str request_id, struct buf *out)
{
    const struct json *config = job->config;
    static const char *const ids[] = { [COMPUTE_PROCESSOR] = "processorId",
                                       [COMPUTE_CRITERION] = "criteriaId",
                                       [COMPUTE_FUNCTION] = "functionId" };
    static const char *const names[] = { [COMPUTE_PROCESSOR] = "processorName",
                                         [COMPUTE_CRITERION] = "criteriaName",
                                         [COMPUTE_FUNCTION] = "functionName" };
    enum compute_kind kind = compute_kind_of(json_text(config, STR("kind")));
    bool in_transaction = json_flag(config, STR("inTransaction"));
    str name = json_text(config, STR("name")), context = json_text(config, STR("context"));
    PUT(out, "{\"id\":");
    put_text(out, request_id);
    PUT(out, ",\"success\":true");
    put_member(out, "requestId", request_id);
    put_member(out, "entityId", json_text(job->carried, STR("id")));
    put_member(out, ids[kind], name);
    put_member(out, names[kind], name);
    if (kind == COMPUTE_CRITERION) put_member(out, "target", json_text(config, STR("target")));
    put_named(out, "workflow", json_text(config, STR("workflow")));
    buf_add_char(out, '}');
    put_named(out, "transition", json_text(config, STR("transition")));
    put_member(out, "stateFrom", json_text(job->carried, STR("state")));
    put_member(out, "stateTo", json_text(config, STR("next")));
    buf_add_char(out, '}');
    put_member(out, "transactionId",
               in_transaction ? json_text(job->carried, STR("transactionId")) : STR_NONE);
    if (context.n) put_member(out, "parameters", context);
    if (json_flag(config, STR("attachEntity"))) put_entity(out, job);
    buf_add_char(out, '}');
}
