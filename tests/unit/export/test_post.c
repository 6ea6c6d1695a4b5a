/* A message to a collector on this machine, and what the thread that sends it does meanwhile. */
#include "perform/server.h"

#include "export/post.h"

static struct server server;
static size_t calls;

/* The server holds its answer back until this has been called while it did. */
static void let_go(void *context)
{
    (void)context;
    calls++;
    if (sem_trywait(&server.held) == 0) sem_post(&server.go);
}

static void notes_are_taken_while_a_collector_hangs(void **state)
{
    (void)state;
    char url[64];
    struct error err;
    struct post *post;
    struct post_answer answer;
    _Atomic int64_t end_us = 0;
    server_start(&server);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/wait", server.port);
    const struct exporter_config exporter = { .url = url, .is_plain = true, .timeout_ms = PATIENCE_S * 1000 };
    const struct post_config config = { .exporter = &exporter, .end_us = &end_us, .meanwhile = let_go };
    assert_int_equal(post_open(&config, &post, &err), ST_OK);
    post_send(post, STR("spans"), &answer);
    assert_int_equal(answer.fate, POST_TAKEN);
    assert_true(calls > 0);
    post_close(post);
    server_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_taken_while_a_collector_hangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
