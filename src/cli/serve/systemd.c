/* cli/serve/systemd.c — sends the datagrams of systemd's notification protocol. See systemd.h. */
#include "cli/serve/systemd.h"

#include "base/clock.h"
#include "base/must.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A service manager that does not listen must not keep the engine from its work: the datagram is lost. */
static void notify(const char *text)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof to.sun_path) return;
    size_t n = strlen(path);
    memcpy(to.sun_path, path, n);
    if (*path == '@') to.sun_path[0] = '\0'; /* An abstract name. */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return;
    ssize_t sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&to,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    (void)sent;
    close(fd);
}

void systemd_ready(const char *status)
{
    char text[512];
    snprintf(text, sizeof text, "READY=1\nSTATUS=%s", status);
    must(!strchr(status, '\n'));
    notify(text);
}

void systemd_reloading(void)
{
    char text[64];
    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)clock_monotonic_us());
    notify(text);
}

void systemd_stopping(void) { notify("STOPPING=1"); }

int64_t systemd_watchdog_us(void)
{
    const char *us = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!us || !getenv("NOTIFY_SOCKET")) return 0;
    if (pid && strtoll(pid, NULL, 10) != (long long)getpid()) return 0;
    long long every = strtoll(us, NULL, 10);
    return every > 0 ? every : 0;
}

void systemd_alive(void) { notify("WATCHDOG=1"); }
