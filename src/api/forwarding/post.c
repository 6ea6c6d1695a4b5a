/* api/forwarding/post.c — answers for other nodes, kept while the outbox is full. */
#include "api/forwarding/forwarding_int.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

struct forwarding_post {
    struct forwarding_post *next;
    int64_t node;
    size_t bytes;
    char text[];
};

struct posts {
    struct forwarding_post *first, *last;
};

/* An answer that is too large for a node message was cut before. */
static bool send(struct forwarding *forwarding, int64_t node, str text)
{
    struct error err;
    return node_messages_send(forwarding->node_messages, node, text, FORWARDING_ANSWER_KEEP_MS, &err) !=
           ST_OVERLOAD;
}

void forwarding_post(struct forwarding *forwarding, int64_t node, str text)
{
    if (!forwarding->first_post && send(forwarding, node, text)) return;
    struct forwarding_post *post = malloc(sizeof *post + text.n);
    must(post);
    *post = (struct forwarding_post){ .node = node, .bytes = text.n };
    if (text.n) memcpy(post->text, text.p, text.n);
    struct posts posts = { forwarding->first_post, forwarding->last_post };
    list_append(&posts, post, next);
    forwarding->first_post = posts.first;
    forwarding->last_post = posts.last;
}

void forwarding_post_on(struct forwarding *forwarding)
{
    while (forwarding->first_post) {
        struct forwarding_post *post = forwarding->first_post;
        if (!send(forwarding, post->node, (str){ post->text, post->bytes })) return;
        forwarding->first_post = post->next;
        if (!post->next) forwarding->last_post = NULL;
        free(post);
    }
}

void forwarding_drop_posts(struct forwarding *forwarding)
{
    while (forwarding->first_post) {
        struct forwarding_post *post = forwarding->first_post;
        forwarding->first_post = post->next;
        free(post);
    }
    forwarding->last_post = NULL;
}
