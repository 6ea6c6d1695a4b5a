/* program/draw/clear.c — the ways of arrows between boxes that are not in layers: straight if nothing is in
 * between, else around a corner or two, whichever way runs across the fewest boxes.
 *
 *     straight          down, across, down       by the side
 *      ▭                    ▭                      ▭─┐
 *       ╲                   └──┐                     │
 *        ▭                     ▭                   ▭◄┘
 */
#include "program/draw/draw_int.h"

#include "program/limits.h"

enum { POINTS = 4, GAP = 16, LANE = 20 };

struct clear_way {
    double x[POINTS], y[POINTS];
    size_t count;
};

static double least(double a, double b) { return a < b ? a : b; }

static double most(double a, double b) { return a > b ? a : b; }

/* Cuts [from, to], the part of a line that counts, to what is between two borders. False: nothing is left. */
static bool cut(double start, double length, double low, double high, double *from, double *to)
{
    if (length == 0) return start > low && start < high;
    double a = (low - start) / length, b = (high - start) / length;
    *from = most(*from, least(a, b));
    *to = least(*to, most(a, b));
    return *from < *to;
}

static bool runs_across(const struct clear_way *way, size_t i, const struct cell *box)
{
    double from = 0, to = 1, half = box->width / 2 - 1, high = box->height / 2 - 1;
    double dx = way->x[i + 1] - way->x[i], dy = way->y[i + 1] - way->y[i];
    return cut(way->x[i], dx, box->x - half, box->x + half, &from, &to) &&
           cut(way->y[i], dy, box->y - high, box->y + high, &from, &to);
}

/* Over how many boxes the way runs. Its own count, too, but not where it begins and ends. */
static size_t count_crossed(const struct layout *layout, const struct sketch_arrow *arrow,
                            const struct clear_way *way)
{
    size_t crossed = 0;
    for (size_t node = 0; node < layout->shown->node_count; node++) {
        if (layout->shown->node[node].is_zone) continue;
        for (size_t i = 0; i + 1 < way->count; i++) {
            bool first = i == 0 && node == arrow->from, last = i + 2 == way->count && node == arrow->to;
            if (!first && !last && runs_across(way, i, &layout->cell[node])) crossed++;
        }
    }
    return crossed;
}

/* Where the line from the middle of the box to a point leaves the box. */
static void add_border(struct clear_way *way, const struct cell *box, double x, double y)
{
    double across = x - box->x, down = y - box->y;
    double wide = across < 0 ? -across : across, high = down < 0 ? -down : down;
    double part_x = wide > 0 ? box->width / 2 / wide : 1, part_y = high > 0 ? box->height / 2 / high : 1;
    double part = least(least(part_x, part_y), 1); /* More than 1: the boxes overlap. */
    way->x[way->count] = box->x + part * across;
    way->y[way->count++] = box->y + part * down;
}

static struct clear_way straight(const struct cell *from, const struct cell *to)
{
    struct clear_way way = { .count = 0 };
    add_border(&way, from, to->x, to->y);
    add_border(&way, to, from->x, from->y);
    return way;
}

/* Down, across at this height, and down or up again. */
static struct clear_way elbow(const struct cell *from, const struct cell *to, double y)
{
    double leave = from->y + (y > from->y ? from->height : -from->height) / 2;
    double enter = to->y + (y > to->y ? to->height : -to->height) / 2;
    return (struct clear_way){ { from->x, from->x, to->x, to->x }, { leave, y, y, enter }, POINTS };
}

/* Out at one side, along a lane that nothing beside both stands in, and in from the same side. */
static struct clear_way by_side(const struct layout *layout, const struct cell *from, const struct cell *to,
                                int side)
{
    double top = least(from->y, to->y), bottom = most(from->y, to->y), lane = side * from->x;
    for (size_t i = 0; i < layout->shown->node_count; i++) {
        const struct cell *box = &layout->cell[i];
        bool beside = box->y + box->height / 2 > top && box->y - box->height / 2 < bottom;
        if (beside && !layout->shown->node[i].is_zone) lane = most(lane, side * box->x + box->width / 2);
    }
    double x = side * (lane + LANE);
    return (struct clear_way){ { from->x + side * from->width / 2, x, x, to->x + side * to->width / 2 },
                               { from->y, from->y, to->y, to->y },
                               POINTS };
}

static struct clear_way around_itself(const struct cell *box)
{
    double right = box->x + box->width / 2;
    return (struct clear_way){ { right, right + 22, right + 22, right },
                               { box->y + 10, box->y + 10, box->y - 10, box->y - 10 },
                               POINTS };
}

static struct clear_way find_way(const struct layout *layout, const struct sketch_arrow *arrow)
{
    const struct cell *from = &layout->cell[arrow->from], *to = &layout->cell[arrow->to];
    if (from == to) return around_itself(from);
    struct clear_way best = straight(from, to);
    if (layout->shown->node_count * layout->shown->arrow_count > DRAW_CLEAR_MAX) return best;
    size_t crossed = count_crossed(layout, arrow, &best);
    double below = from->y + from->height / 2, above = to->y - to->height / 2;
    const struct clear_way others[] = {
        elbow(from, to, (below + above) / 2), elbow(from, to, above - GAP),  elbow(from, to, below + GAP),
        by_side(layout, from, to, 1),         by_side(layout, from, to, -1),
    };
    for (size_t i = 0; crossed && i < COUNT(others); i++) {
        size_t count = count_crossed(layout, arrow, &others[i]);
        if (count >= crossed) continue;
        best = others[i];
        crossed = count;
    }
    return best;
}

size_t draw_clear_way(const struct layout *layout, size_t index, struct draw_point *point)
{
    struct clear_way way = find_way(layout, &layout->shown->arrow[index]);
    for (size_t i = 0; i < way.count; i++)
        point[i] = (struct draw_point){ .way = DRAW_LINE, .x = way.x[i], .y = way.y[i] };
    return way.count;
}
