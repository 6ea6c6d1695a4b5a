/* api/grpc/pieces.c — what arrives of a call of gRPC while its caller is read from the store.
 *
 * The network hands over the body as it comes, and the method is not called before the caller is known. The
 * pieces wait in memory of their own, because the request's arena is the runtime's meanwhile.
 */
#include "api/grpc/services_int.h"

#include "base/must.h"

#include <stdlib.h>

struct call_pieces {
    struct buf bytes;
    bool has_ended, is_too_long;
};

static bool keep(str piece, void *context)
{
    struct call_pieces *pieces = ((struct api_request *)context)->pieces;
    if (!piece.n) pieces->has_ended = true;
    else if (pieces->bytes.n + piece.n > CALL_WAITING_BYTES_MAX) pieces->is_too_long = true;
    else buf_add_str(&pieces->bytes, piece);
    return !pieces->is_too_long;
}

void pieces_keep(struct api_request *request)
{
    request->pieces = calloc(1, sizeof *request->pieces);
    must(request->pieces);
    buf_init(&request->pieces->bytes, NULL);
    request->http->on_piece = keep;
}

/* Hands a piece over, unless the call wants no more. */
static void hand_over(struct http_request *http, str piece)
{
    if (http->on_piece && !http->on_piece(piece, http->user)) http->on_piece = NULL;
}

void pieces_go_on(struct api_request *request)
{
    struct http_request *http = request->http;
    struct call_pieces *pieces = request->pieces;
    request->pieces = NULL;
    http->on_piece = NULL;
    if (pieces->is_too_long && !request->refusal) {
        request->refusal = arena_make(http->arena, struct error);
        fail(request->refusal, ST_OVERLOAD, "",
             "the call sent more than %d bytes before its caller was known", CALL_WAITING_BYTES_MAX);
    }
    http_keep(http);
    services_handle(request);
    if (pieces->bytes.n) hand_over(http, buf_str(&pieces->bytes));
    if (pieces->has_ended) hand_over(http, STR_NONE);
    http_let_go(http);
    buf_done(&pieces->bytes);
    free(pieces);
}
