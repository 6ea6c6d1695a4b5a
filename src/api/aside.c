/* api/aside.c — runs long work beside the network's thread, and answers when it is done. */
#include "api/aside_int.h"

bool aside_is_due(const struct api *api, size_t bytes, bool is_json)
{
    return bytes > (is_json ? ASIDE_JSON_BYTES_MIN : ASIDE_BODY_BYTES_MIN) && api->config.loop;
}

bool aside_answer_is_due(const struct api *api, size_t bytes)
{
    return bytes > ASIDE_ANSWER_BYTES_MIN && api->config.loop;
}

static void leave(struct aside_work *aside)
{
    if (aside->before_) aside->before_->after_ = aside->after_;
    else aside->api_->asides = aside->after_;
    if (aside->after_) aside->after_->before_ = aside->before_;
}

static void done(void *context)
{
    struct aside_work *aside = context;
    leave(aside);
    aside->done(aside->context);
}

static void run(void *context)
{
    const struct aside_work *aside = context;
    aside->run(aside->context);
}

void aside_begin(struct api *api, struct aside_work *aside)
{
    aside->api_ = api;
    aside->before_ = NULL;
    aside->after_ = api->asides;
    if (api->asides) api->asides->before_ = aside;
    api->asides = aside;
    aside->work_ = (struct net_work){ .run = run, .done = done, .context = aside };
    net_work(api->config.loop, &aside->work_);
}

static void drop(struct aside_work *aside)
{
    leave(aside);
    if (aside->drop) aside->drop(aside->context);
}

bool aside_withdraw(struct aside_work *aside)
{
    if (!net_work_withdraw(&aside->work_)) return false;
    drop(aside);
    return true;
}

void aside_end_all(struct api *api)
{
    while (api->asides) {
        net_work_cancel(&api->asides->work_);
        drop(api->asides);
    }
}
