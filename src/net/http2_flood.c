/* net/http2_flood.c — clients that keep us busy with frames that bring nothing.
 *
 *     streams cut off     opened and reset at once, or broken on purpose so that we reset them
 *     idlers              PING, SETTINGS, PRIORITY, WINDOW_UPDATE, CONTINUATION, DATA without bytes
 *
 * Each kind has a bucket: FLOOD_FRAMES_MAX at once and FLOOD_SECOND_MAX in every second are fine. All
 * strangers of one peer share the bucket of streams cut off, so that a new connection brings no new bucket.
 * Bytes of bodies in either direction make room for idlers, because each of them may need a WINDOW_UPDATE or
 * a PING that measures the line. A head may have CONTINUATIONS_MAX frames behind its first. Beyond that the
 * connection ends with ENHANCE_YOUR_CALM.
 */
#include "net/http2_int.h"

enum { ONE = 1000 }; /* A frame in the bucket's unit. */

static bool add(struct http2 *http2, struct flood *flood)
{
    int64_t now = server_now(http2->connection->server);
    flood->level -= (now - flood->at_ms) * FLOOD_SECOND_MAX;
    if (flood->level < 0) flood->level = 0;
    flood->at_ms = now;
    flood->level += ONE;
    if (flood->level <= (int64_t)FLOOD_FRAMES_MAX * ONE) return true;
    http2_calm(http2);
    return false;
}

void http2_calm(struct http2 *http2)
{
    if (http2->calmed) return;
    http2->calmed = true;
    nghttp2_session_terminate_session(http2->session, NGHTTP2_ENHANCE_YOUR_CALM);
}

bool http2_flood_frame(struct http2 *http2, const nghttp2_frame_hd *frame)
{
    switch (frame->type) {
    case NGHTTP2_RST_STREAM: return http2_flood_reset(http2);
    case NGHTTP2_HEADERS: http2->continuations = 0; return true;
    case NGHTTP2_CONTINUATION:
        if (++http2->continuations <= CONTINUATIONS_MAX) return add(http2, &http2->idlers);
        http2_calm(http2);
        return false;
    case NGHTTP2_DATA:
        if (frame->length) {
            http2_flood_useful(http2);
            return true;
        }
        return frame->flags & NGHTTP2_FLAG_END_STREAM ? true : add(http2, &http2->idlers);
    default: return add(http2, &http2->idlers);
    }
}

bool http2_flood_reset(struct http2 *http2)
{
    const struct connection *connection = http2->connection;
    bool shared = !connection->known && connection->peer;
    return add(http2, shared ? &connection->peer->resets : &http2->resets);
}

void http2_flood_useful(struct http2 *http2)
{
    if (http2->idlers.level > 2 * ONE) http2->idlers.level -= 2 * ONE;
    else http2->idlers.level = 0;
}
