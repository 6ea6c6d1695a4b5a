"""ISO 8601 durations, repetitions and moments (1.3, 1.12), in milliseconds."""

import datetime
import re

DURATION = re.compile(r"P(?=[0-9T])(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?"
                      r"(?:T(?=[0-9])(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$")
DAY = 24 * 3600
UNITS = (365 * DAY, 30 * DAY, 7 * DAY, DAY, 3600, 60, 1)


def duration_ms(given):
    """An ISO 8601 duration, or whole seconds."""
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given * 1000
    found = DURATION.match(given) if isinstance(given, str) else None
    if not found:
        raise ValueError(f"no duration: {given!r}")
    return round(sum(float(part) * unit for part, unit in zip(found.groups(), UNITS) if part) * 1000)


def moment_ms(given):
    """A date-time since the epoch, or None."""
    if not isinstance(given, str) or not re.match(r"\d{4}-\d\d-\d\dT", given):
        return None
    moment = datetime.datetime.fromisoformat(given.replace("Z", "+00:00"))
    return round(moment.timestamp() * 1000)


def repetition(given):
    """An interval of a retry: (how often or None, unbounded?, milliseconds)."""
    found = re.match(r"R(\d*)/(.*)$", given) if isinstance(given, str) else None
    if not found:
        return None, False, duration_ms(given)
    times, interval = found.groups()
    return (int(times) if times else None), not times, duration_ms(interval)
