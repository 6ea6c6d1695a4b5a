/* api/metrics_gather.c — the page of /metrics for the engine itself, which pushes it to a collector.
 *
 *     api_gather_metrics() ──► STATISTICS ──► JOB_SERIES ──► the text, on the thread of the network
 *
 * One page is gathered at a time: while the store does not answer, no further one is asked for.
 */
#include "api/metrics_int.h"

#include "base/must.h"
#include "base/tenant.h"

#include <stdlib.h>

struct metrics_gathering {
    struct api *api;
    struct arena arena;
    bool is_under_way, has_statistics;
    struct store_statistics statistics;
    api_page_fn *take;
    void *context;
};

static struct call_origin origin_of(struct metrics_gathering *gathering, call_fn *done)
{
    return (struct call_origin){ .arena = &gathering->arena, .done = done, .user = gathering };
}

static void finish(struct metrics_gathering *gathering, const struct call *jobs)
{
    const struct metrics_scope scope = { gathering->api, &gathering->arena, TENANT_DEFAULT, false };
    struct buf out;
    buf_init(&out, &gathering->arena);
    metrics_put_page(&out, &scope, gathering->has_statistics ? &gathering->statistics : NULL, jobs);
    gathering->take(gathering->context, buf_str(&out));
    arena_done(&gathering->arena);
    gathering->is_under_way = false;
}

static void got_jobs(struct call *call) { finish(call->user, call); }

static void ask_for_jobs(struct metrics_gathering *gathering)
{
    struct call *call = call_job_series(origin_of(gathering, got_jobs), &(struct call_nothing){ 0 });
    call_for_tenant(call, TENANT_DEFAULT);
    if (runtime_submit(gathering->api->config.client, call) != ST_OK) finish(gathering, NULL);
}

static void counted(struct call *call)
{
    struct metrics_gathering *gathering = call->user;
    gathering->has_statistics = call->status == ST_OK;
    if (gathering->has_statistics) gathering->statistics = call->value.statistics;
    ask_for_jobs(gathering);
}

bool api_gather_metrics(struct api *api, api_page_fn *take, void *context)
{
    if (!api->gathering) api->gathering = calloc(1, sizeof *api->gathering);
    struct metrics_gathering *gathering = api->gathering;
    must(gathering);
    if (gathering->is_under_way) return false;
    *gathering =
        (struct metrics_gathering){ .api = api, .is_under_way = true, .take = take, .context = context };
    arena_init(&gathering->arena, 0);
    struct call *call = call_statistics(origin_of(gathering, counted), &(struct call_nothing){ 0 });
    call_for_tenant(call, TENANT_DEFAULT);
    if (runtime_submit(api->config.client, call) != ST_OK) ask_for_jobs(gathering);
    return true;
}

void metrics_gather_done(struct api *api)
{
    if (api->gathering && api->gathering->is_under_way) arena_done(&api->gathering->arena);
    free(api->gathering);
    api->gathering = NULL;
}
