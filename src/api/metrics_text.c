/* api/metrics_text.c — the lines that all metrics have: heads, labels, names of the version before. */
#include "api/metrics_int.h"

static const struct {
    const char *name, *old;
} renamed[] = {
#define XX(name, old) { name, old },
    RENAMED_METRIC_MAP(XX)
#undef XX
};

const char *metrics_old_name(const char *name)
{
    for (size_t i = 0; i < COUNT(renamed); i++)
        if (!strcmp(renamed[i].name, name)) return renamed[i].old;
    return NULL;
}

/* The present name of a metric whose old name this is, or NULL. */
static const char *present_name(const char *old)
{
    for (size_t i = 0; i < COUNT(renamed); i++)
        if (!strcmp(renamed[i].old, old)) return renamed[i].name;
    return NULL;
}

void metrics_put_head(struct buf *out, const char *name, const char *type, const char *help)
{
    const char *present = present_name(name);
    buf_printf(out, "# HELP %s ", name);
    if (present) buf_printf(out, "Deprecated, use %s. ", present);
    buf_printf(out, "%s\n# TYPE %s %s\n", help, name, type);
}

void metrics_put_exemplar(struct buf *out, str trace, double seconds, int64_t at_ms)
{
    buf_printf(out, " # {trace_id=\"%.*s\"} %.9g %.3f", STR_ARG(trace), seconds, (double)at_ms / 1e3);
}

void metrics_put_label(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '"' || c == '\\') buf_add_char(out, '\\');
        if (c == '\n') buf_add_str(out, STR("\\n"));
        else buf_add_char(out, c);
    }
}
