/* cli/serve/fetch.c — gives the calls of the API to the guarded caller. */
#include "cli/serve/fetch.h"

#include "access/limits.h"
#include "base/must.h"
#include "cli/limits.h"

#include <stdlib.h>

struct fetcher {
    struct outcalls_config config;
    struct outcalls *outcalls; /* NULL: there was no call yet. */
    bool is_stopped;
};

struct fetcher *fetch_new(const struct outcalls_config *config)
{
    struct fetcher *fetcher = calloc(1, sizeof *fetcher);
    must(fetcher);
    fetcher->config = *config;
    fetcher->config.calls_max = FETCHES_MAX;
    fetcher->config.calls_per_host_max = FETCHES_PER_HOST_MAX;
    fetcher->config.connections_kept_max = FETCH_KEPT_MAX;
    fetcher->config.answer_bytes_max = OIDC_DOCUMENT_BYTES_MAX;
    return fetcher;
}

static void call_done(struct outcall *call)
{
    struct api_fetch *fetch = call->user;
    if (call->failure != OUTCALL_NONE) {
        fetch->failure = call->message.n ? call->message : str_of(outcall_failure_word(call->failure));
    } else {
        fetch->status = call->status;
        fetch->answer = call->answer;
    }
    fetch->ended(fetch);
}

static struct outcall *make_call(struct api_fetch *fetch)
{
    struct outcall *call = arena_make(fetch->arena, struct outcall);
    struct outcall_header *header = arena_make_n(fetch->arena, struct outcall_header, 2);
    size_t count = 0;
    header[count++] = (struct outcall_header){ STR("Accept"), STR("application/json") };
    if (fetch->authorization.n)
        header[count++] = (struct outcall_header){ STR("Authorization"), fetch->authorization };
    *call = (struct outcall){ .method = fetch->method,
                              .url = fetch->url,
                              .header = header,
                              .header_count = count,
                              .timeout_ms = fetch->timeout_ms,
                              .arena = fetch->arena,
                              .done = call_done,
                              .user = fetch };
    if (fetch->content_type.n) {
        call->body = fetch->body;
        call->content_type = fetch->content_type;
    }
    return call;
}

enum status fetch_call(void *context, struct api_fetch *fetch, struct error *err)
{
    struct fetcher *fetcher = context;
    if (fetcher->is_stopped) return fail(err, ST_DRAINING, "", "the engine stops");
    if (!fetcher->outcalls) TRY(outcalls_start(&fetcher->config, &fetcher->outcalls, err));
    return outcalls_submit(fetcher->outcalls, make_call(fetch), NULL, err);
}

void fetch_stop(struct fetcher *fetcher)
{
    if (!fetcher) return;
    fetcher->is_stopped = true;
    outcalls_stop(fetcher->outcalls);
    fetcher->outcalls = NULL;
}

void fetch_free(struct fetcher *fetcher)
{
    fetch_stop(fetcher);
    free(fetcher);
}
