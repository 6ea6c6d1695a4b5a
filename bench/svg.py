"""Curves as SVG: both axes logarithmic, a line and a label for each series."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 70, 210, 44, 52
COLOURS = ("#1f5fa8", "#c4511c", "#2d8a4e", "#8a3fa0", "#8a6d00", "#4a5560", "#0f8b8d")


def decade(power):
    return f"10{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(digit)] for digit in str(power))}" if power > 2 else f"{10 ** power:g}"


def curves(title, x_label, y_label, series):
    """`series` maps names to lists of (x, y), all greater than zero."""
    points = [point for line in series.values() for point in line]
    x0, x1 = (f(math.log10(x) for x, _ in points) for f in (min, max))
    y0 = math.floor(min(math.log10(y) for _, y in points))
    y1 = max(y0 + 1, math.ceil(max(math.log10(y) for _, y in points)))

    def px(x):
        return LEFT + (math.log10(x) - x0) / ((x1 - x0) or 1) * (WIDTH - LEFT - RIGHT)

    def py(y):
        return HEIGHT - BOTTOM - (math.log10(y) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    def text(x, y, words, **attributes):
        shown = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        return f'<text x="{x:.1f}" y="{y:.1f}"{shown}>{html.escape(words)}</text>'

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" role="img">',
           f"<title>{html.escape(title)}</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           text(LEFT, 24, title, font_size=15, font_weight="bold"),
           text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_label, text_anchor="middle"),
           text(0, 0, y_label, text_anchor="middle", transform=f"translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)")]
    for power in range(math.ceil(x0 - 1e-9), math.floor(x1 + 1e-9) + 1):
        x = px(10 ** power)
        out += [f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>',
                text(x, HEIGHT - BOTTOM + 18, decade(power), text_anchor="middle")]
    for power in range(y0, y1 + 1):
        y = py(10 ** power)
        out += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e4e4e4"/>',
                text(LEFT - 8, y + 4, f"{10 ** power:g}", text_anchor="end")]
    # Labels stand at the last points, apart from each other by at least a line's height.
    places, last = [], -1e9
    for index, (name, line) in sorted(enumerate(series.items()), key=lambda item: py(item[1][1][-1][1])):
        last = max(py(line[-1][1]) + 4, last + 15)
        places.append((index, name, line, last))
    for index, name, line, label_y in places:
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in line)
        out += [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
        out += [f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="3" fill="{colour}"/>' for x, y in line]
        out += [text(px(line[-1][0]) + 10, label_y, name, fill=colour)]
    return "\n".join(out + ["</svg>"]) + "\n"
