/* api/relay/post.c — answers for other nodes, kept while the outbox is full. */
#include "api/relay/relay_int.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

struct relay_post {
    struct relay_post *next;
    int64_t node;
    size_t bytes;
    char text[];
};

struct posts {
    struct relay_post *first, *last;
};

/* An answer that is too large for an errand was cut before. */
static bool send(struct relay *relay, int64_t node, str text)
{
    struct error err;
    return errands_send(relay->errands, node, text, RELAY_ANSWER_KEEP_MS, &err) != ST_OVERLOAD;
}

void relay_post(struct relay *relay, int64_t node, str text)
{
    if (!relay->first_post && send(relay, node, text)) return;
    struct relay_post *post = malloc(sizeof *post + text.n);
    must(post);
    *post = (struct relay_post){ .node = node, .bytes = text.n };
    if (text.n) memcpy(post->text, text.p, text.n);
    struct posts posts = { relay->first_post, relay->last_post };
    list_append(&posts, post, next);
    relay->first_post = posts.first;
    relay->last_post = posts.last;
}

void relay_post_on(struct relay *relay)
{
    while (relay->first_post) {
        struct relay_post *post = relay->first_post;
        if (!send(relay, post->node, (str){ post->text, post->bytes })) return;
        relay->first_post = post->next;
        if (!post->next) relay->last_post = NULL;
        free(post);
    }
}

void relay_drop_posts(struct relay *relay)
{
    while (relay->first_post) {
        struct relay_post *post = relay->first_post;
        relay->first_post = post->next;
        free(post);
    }
    relay->last_post = NULL;
}
