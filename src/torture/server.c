/* torture/server.c — the engine in a process of its own.
 *
 * The child is a copy of this process that runs the verb `serve`. So it runs the same code as a user's
 * engine, and nothing outside this program can make an engine's disk frail.
 */
#include "torture/torture_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOP_POLL_MS = 2 };

extern char **environ;

/* The settings of the user's own engine must not apply to this one. */
static void forget_settings(void)
{
    for (char **entry = environ; *entry;) {
        char name[64];
        size_t n = strcspn(*entry, "=");
        if (strncmp(*entry, "PAWL_", 5) != 0 || n >= sizeof name) {
            entry++;
            continue;
        }
        memcpy(name, *entry, n);
        name[n] = 0;
        unsetenv(name); /* Moves the next one here. */
    }
}

static _Noreturn void be_server(const struct torture_config *config,
                                const struct torture_directory *directory, const struct frail_plan *plan,
                                int out, pid_t parent)
{
    const char *const arguments[] = { "pawl",        "serve",         "--listen", "127.0.0.1:0",
                                      "--data",      directory->data, "--config", "/dev/null",
                                      "--log-level", "warn",          NULL };
    char *argv[COUNT(arguments)];
    for (size_t i = 0; i < COUNT(arguments); i++) {
        argv[i] = arguments[i] ? strdup(arguments[i]) : NULL;
        must(argv[i] || !arguments[i]);
    }
    setpgid(0, 0); /* Ctrl-C ends the parent, which then ends the engine. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    int in = open("/dev/null", O_RDONLY), log = open(directory->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    must(dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0);
    close(in);
    close(out);
    close(log);
    close(directory->lock);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    forget_settings();
    if (plan->capacity || plan->cut_at_sync || plan->cut_at_write) frail_install(plan);
    _exit(config->serve((int)COUNT(arguments) - 1, argv));
}

void server_begin(struct server *server, const struct torture_config *config,
                  const struct torture_directory *directory, const struct frail_plan *plan)
{
    int ends[2];
    pid_t parent = getpid();
    must(pipe(ends) == 0);
    fflush(NULL); /* Otherwise the child would write the buffered output once more. */
    *server = (struct server){ .out = ends[0], .began_us = clock_monotonic_us() };
    server->pid = fork();
    must(server->pid >= 0);
    if (server->pid == 0) {
        close(ends[0]);
        be_server(config, directory, plan, ends[1], parent);
    }
    close(ends[1]);
}

bool server_await_ready(struct server *server)
{
    static const char sign[] = "listening on http://127.0.0.1:";
    char text[512] = "";
    size_t n = 0;
    int64_t deadline_us = server->began_us + (int64_t)PATIENCE_MS * 1000;
    while (n < sizeof text - 1 && !memchr(text, '\n', n)) {
        int64_t left_ms = (deadline_us - clock_monotonic_us()) / 1000;
        struct pollfd wait = { .fd = server->out, .events = POLLIN };
        if (left_ms <= 0) return false;
        if (poll(&wait, 1, (int)left_ms) <= 0) continue;
        ssize_t got = read(server->out, text + n, sizeof text - 1 - n);
        if (got <= 0) return false;
        n += (size_t)got;
    }
    const char *port = strstr(text, sign);
    if (!port) return false;
    server->port = (uint16_t)strtoul(port + strlen(sign), NULL, 10);
    server->ready_us = clock_monotonic_us();
    return true;
}

bool server_has_ended(struct server *server, int *ret_status)
{
    must(server->pid);
    pid_t pid;
    while ((pid = waitpid(server->pid, ret_status, WNOHANG)) < 0 && errno == EINTR) continue;
    if (!pid) return false;
    must(pid == server->pid);
    close(server->out);
    *server = (struct server){ 0 };
    return true;
}

int server_end(struct server *server)
{
    int status;
    int64_t deadline_us = clock_monotonic_us() + (int64_t)PATIENCE_MS * 1000;
    while (!server_has_ended(server, &status)) {
        if (clock_monotonic_us() > deadline_us) kill(server->pid, SIGKILL);
        usleep(STOP_POLL_MS * 1000);
    }
    return status;
}
