/* api/probes.c — /healthz, /livez and /readyz, for balancers and supervisors. */
#include "api/probes_int.h"

#include "api/answer_int.h"
#include "api/route_int.h"

static enum status check_store(const struct api *api, struct error *err)
{
    if (runtime_healthy(api->config.runtime)) return ST_OK;
    return fail(err, ST_STORE, "", "the store has failed; the engine must be restarted");
}

enum status probes_health(struct api_request *request, struct error *err)
{
    TRY(check_store(request->api, err));
    answer(request, 200, STR_NONE, STR_NONE);
    return ST_OK;
}

enum status probes_live(struct api_request *request, struct error *err)
{
    TRY(check_store(request->api, err));
    answer(request, 200, STR_NONE, STR("{\"status\":\"alive\"}"));
    return ST_OK;
}

static enum status check_turns(const struct api *api, struct error *err)
{
    int64_t turn_ms = runtime_ms_of_turn(api->config.runtime);
    if (turn_ms <= TURN_MS_MAX) return ST_OK;
    return fail(err, ST_STORE, "", "the engine has been busy with one turn for %lld seconds",
                (long long)(turn_ms / 1000));
}

/* Another node may reach the database. */
static enum status check_database(const struct api *api, struct error *err)
{
    if (!metric_get(&runtime_metrics(api->config.runtime)->node_cut_off)) return ST_OK;
    return fail(err, ST_STORE, "", "the database does not answer this node");
}

enum status probes_check_ready(const struct api *api, struct error *err)
{
    TRY(check_store(api, err));
    if (api->draining) return fail(err, ST_DRAINING, "", "the engine is stopping");
    TRY(check_turns(api, err));
    return check_database(api, err);
}

enum status probes_ready(struct api_request *request, struct error *err)
{
    TRY(probes_check_ready(request->api, err));
    /* Ready all the same: completions, cancels and reads go on, and they are the way back to space. */
    bool full = metric_get(&runtime_metrics(request->api->config.runtime)->storage_full);
    answer(request, 200, STR_NONE,
           full ? STR("{\"status\":\"ready\",\"storage\":\"full\"}") : STR("{\"status\":\"ready\"}"));
    return ST_OK;
}
