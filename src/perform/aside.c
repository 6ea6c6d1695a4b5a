/* perform/aside.c — runs functions on threads that can be abandoned; resolves names there. */
#include "perform/aside.h"

#include "base/must.h"
#include "base/thread.h"

#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum aside_state { RUNNING, DONE, ABANDONED };

struct aside {
    void (*run)(void *data);
    void (*release)(void *data);
    void *data;
    atomic_int state; /* The side that changes it from RUNNING leaves the rest to the other. */
    int done_fd;
};

static void aside_free(struct aside *aside)
{
    close(aside->done_fd);
    free(aside);
}

static void *work(void *context)
{
    struct aside *aside = context;
    uint64_t one = 1;
    int running = RUNNING;
    thread_name("aside");
    aside->run(aside->data);
    if (atomic_compare_exchange_strong(&aside->state, &running, DONE)) {
        /* The caller frees `aside` as soon as it has read this. */
        ssize_t written = write(aside->done_fd, &one, sizeof one);
        (void)written;
        return NULL;
    }
    aside->release(aside->data);
    aside_free(aside);
    return NULL;
}

/* The thread takes no signals: they are for the other threads. */
static bool start_thread(struct aside *aside)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = pthread_create(&thread, NULL, work, aside) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (made) pthread_detach(thread);
    return made;
}

/* Waits until the thread has said that it is done: it may be between its two statements. */
static void read_done(const struct aside *aside)
{
    struct pollfd done = { .fd = aside->done_fd, .events = POLLIN };
    uint64_t count;
    while (read(aside->done_fd, &count, sizeof count) < 0) poll(&done, 1, -1);
}

enum aside_end aside_run(void (*run)(void *data), void (*release)(void *data), void *data, int leave_fd,
                         int64_t timeout_ms)
{
    struct aside *aside = malloc(sizeof *aside);
    must(aside);
    *aside = (struct aside){ run, release, data, RUNNING, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
    if (aside->done_fd < 0 || !start_thread(aside)) {
        run(data);
        if (aside->done_fd >= 0) close(aside->done_fd);
        free(aside);
        return ASIDE_DONE;
    }
    struct pollfd fds[] = { { .fd = aside->done_fd, .events = POLLIN },
                            { .fd = leave_fd, .events = POLLIN } };
    poll(fds, 2, timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms);
    int running = RUNNING;
    if (atomic_compare_exchange_strong(&aside->state, &running, ABANDONED)) return ASIDE_ABANDONED;
    read_done(aside);
    aside_free(aside);
    return ASIDE_DONE;
}

/* ---- names ---- */

struct question {
    char *host;
    int code;
    struct addrinfo *list;
};

static void resolve(void *data)
{
    struct question *question = data;
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
    question->code = getaddrinfo(question->host, NULL, &hints, &question->list);
}

static void question_free(void *data)
{
    struct question *question = data;
    if (question->list) freeaddrinfo(question->list);
    free(question->host);
    free(question);
}

int aside_resolve(const char *host, int leave_fd, int64_t timeout_ms, struct addrinfo **ret_list)
{
    const struct addrinfo number = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
    if (getaddrinfo(host, NULL, &number, ret_list) == 0) return 0;
    struct question *question = calloc(1, sizeof *question);
    must(question);
    question->host = strdup(host);
    must(question->host);
    if (aside_run(resolve, question_free, question, leave_fd, timeout_ms) == ASIDE_ABANDONED)
        return EAI_AGAIN;
    int code = question->code;
    if (code == 0) *ret_list = question->list;
    question->list = NULL;
    question_free(question);
    return code;
}
