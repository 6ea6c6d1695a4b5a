/* api/access/key_window.c — when a key counts, as the bodies of cyoda's calls say it. */
#include "api/access/key_window_int.h"

#include "api/limits.h"
#include "api/request_int.h"
#include "base/clock.h"
#include "base/datetime.h"

int64_t key_window_now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

static enum status read_time(const struct json *body, const char *name, int64_t *time_ms, struct error *err)
{
    str text;
    TRY(field_text(body, name, ACCESS_TEXT_BYTES_MAX, &text, err));
    if (!text.n || datetime_parse(text, time_ms)) return ST_OK;
    return fail(err, ST_INVALID, name, "%s must be a time as 2026-11-15T03:50:11Z is", name);
}

static enum status read_times(const struct json *body, struct key_window *window, struct error *err)
{
    TRY(read_time(body, "validFrom", &window->from_ms, err));
    TRY(read_time(body, "validTo", &window->to_ms, err));
    if (!window->to_ms) window->to_ms = window->from_ms + KEY_WINDOW_MS;
    if (window->to_ms <= window->from_ms)
        return fail(err, ST_INVALID, "validTo", "validTo must be later than validFrom");
    return ST_OK;
}

enum status key_window_read(const struct json *body, struct key_window *ret_window, struct error *err)
{
    struct key_window window = { .from_ms = key_window_now_ms() };
    TRY(read_times(body, &window, err));
    *ret_window = window;
    return ST_OK;
}

enum status key_window_read_again(const struct json *body, struct key_window *ret_window, struct error *err)
{
    str text;
    TRY(field_text(body, "validTo", ACCESS_TEXT_BYTES_MAX, &text, err));
    if (!text.n) return fail(err, ST_INVALID, "validTo", "validTo is required");
    TRY(key_window_read(body, ret_window, err));
    if (ret_window->to_ms > key_window_now_ms()) return ST_OK;
    return fail(err, ST_INVALID, "validTo", "validTo must be in the future");
}

enum status key_window_read_grace(const struct json *body, const char *name, int64_t *ret_ms,
                                  struct error *err)
{
    int64_t seconds = 0;
    TRY(field_integer(body, name, &seconds, err));
    if (seconds < 0 || seconds > GRACE_SECONDS_MAX)
        return fail(err, ST_INVALID, name, "%s must be from 0 to %d (366 days)", name, GRACE_SECONDS_MAX);
    *ret_ms = seconds * 1000;
    return ST_OK;
}

void key_window_add(struct json_builder *builder, const struct key_window *window)
{
    json_add_name(builder, STR("validFrom"));
    json_add_int(builder, window->from_ms);
    json_add_name(builder, STR("validTo"));
    json_add_int(builder, window->to_ms);
}

void key_window_put(struct buf *out, const struct json *view, const str *name, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct json *value = json_get(view, name[i]);
        if (!value) continue;
        buf_printf(out, ",\"%.*s\":", STR_ARG(name[i]));
        json_print(value, out);
    }
}

void key_window_render_done(const struct call *call, int *ret_http_status, struct buf *out)
{
    (void)call, (void)out;
    *ret_http_status = 200;
}
