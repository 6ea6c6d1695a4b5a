/* cli/serve/demo_call.c — requests of the demo's thread to its own engine. */
#include "cli/serve/demo_int.h"

#include "base/log.h"

enum { TIMEOUT_MS = 15000 };

static const struct json_limits json_limits = { .bytes_max = 64 << 20, .depth_max = JSON_DEPTH_MAX };

bool demo_is_stopped(struct demo *demo)
{
    pthread_mutex_lock(&demo->lock);
    bool stop = demo->stop;
    pthread_mutex_unlock(&demo->lock);
    return stop;
}

int demo_call(struct demo *demo, const char *method, str path, str headers, str body,
              const struct json **ret_answer)
{
    struct http_answer answer;
    struct error err;
    *ret_answer = NULL;
    http_client_set_headers(demo->http, headers);
    if (http_client_call(demo->http, method, path, body, TIMEOUT_MS, &demo->arena, &answer, &err) != ST_OK) {
        if (!demo_is_stopped(demo)) log_write(LOG_WARN, "demo: no answer", "error", err.message, NULL);
        return 0;
    }
    if (answer.body.n) json_parse(answer.body, &json_limits, &demo->arena, ret_answer, NULL);
    return answer.status;
}
