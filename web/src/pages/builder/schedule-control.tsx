/* pages/builder/schedule-control.tsx — when a flow starts, in words; "something else" shows the five fields. Below, when that will be:
 * the engine counts, in the clock of the schedule's place. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { asProblem } from '../../api/problem';
import { previewTicksQuery } from '../../api/triggers';
import {
  DAYS,
  EVERY_MINUTES,
  parseSchedule,
  printSchedule,
  type Schedule,
  SCHEDULE_WORDS,
  toKind,
} from '../../flow/schedule';
import { textOf } from '../../flow/json';
import { locale } from '../../texts/language';
import { t } from '../../texts/panel';
import type { ControlProps } from './field';
import styles from './panel.module.css';

const KINDS = Object.keys(SCHEDULE_WORDS) as readonly Schedule['kind'][];
const DATES = Array.from({ length: 31 }, (_, i) => i + 1);
const two = (number: number) => String(number).padStart(2, '0');

export function ScheduleControl({ node, param, value, onChange }: ControlProps) {
  const cron = textOf(value);
  const schedule = parseSchedule(cron);
  const [isFree, setFree] = useState(cron !== '' && schedule === null);
  const kind = isFree || (cron !== '' && schedule === null) ? 'else' : (schedule?.kind ?? '');
  const put = (next: Schedule) => onChange(printSchedule(next), true);
  return (
    <div className={styles['rows']}>
      <div className={styles['pair']}>
        <select
          className="in"
          aria-label={param.label}
          value={kind}
          onChange={(event) => {
            const next = KINDS.find((each) => each === event.target.value);
            setFree(next === undefined);
            if (next !== undefined) onChange(printSchedule(toKind(next, schedule)));
          }}
        >
          {kind === '' && <option value="">{t.choose}</option>}
          {KINDS.map((each) => (
            <option key={each} value={each}>
              {SCHEDULE_WORDS[each]}
            </option>
          ))}
          <option value="else">{t.somethingElse}</option>
        </select>
        {kind === 'else' ? (
          <input
            className="in mono"
            aria-label={t.minuteHourDayMonthDay}
            placeholder="0 9 * * 1-5"
            value={cron}
            onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value, true)}
          />
        ) : (
          schedule !== null && <Times schedule={schedule} onChange={put} />
        )}
      </div>
      {kind === 'else' && <span className="help">{t.minuteHourDayMonthDay2}</span>}
      {cron !== '' && <Ticks config={node.config} />}
    </div>
  );
}

interface TimesProps {
  readonly schedule: Schedule;
  readonly onChange: (schedule: Schedule) => void;
}

function Times({ schedule, onChange }: TimesProps) {
  if (schedule.kind === 'minutes')
    return (
      <select
        className="in"
        aria-label={t.soManyMinutes}
        value={schedule.every}
        onChange={(event) => onChange({ ...schedule, every: Number(event.target.value) })}
      >
        {EVERY_MINUTES.map((every) => (
          <option key={every} value={every}>
            {t.everyMinutes(every)}
          </option>
        ))}
      </select>
    );
  if (schedule.kind === 'hour')
    return (
      <input
        className="in"
        type="number"
        min={0}
        max={59}
        aria-label={t.minutesPastTheHour}
        value={schedule.minute}
        onChange={(event) =>
          onChange({ ...schedule, minute: Math.max(0, Math.min(59, Math.floor(Number(event.target.value)))) })
        }
      />
    );
  return (
    <>
      {schedule.kind === 'week' && (
        <select
          className="in"
          aria-label={t.dayOfTheWeek}
          value={schedule.day}
          onChange={(event) => onChange({ ...schedule, day: Number(event.target.value) })}
        >
          {DAYS.map((day, i) => (
            <option key={day} value={i + 1}>
              {day}
            </option>
          ))}
        </select>
      )}
      {schedule.kind === 'month' && (
        <select
          className="in"
          aria-label={t.dayOfTheMonth}
          value={schedule.date}
          onChange={(event) => onChange({ ...schedule, date: Number(event.target.value) })}
        >
          {DATES.map((date) => (
            <option key={date} value={date}>
              {t.onDay(date)}
            </option>
          ))}
        </select>
      )}
      <input
        className="in"
        type="time"
        aria-label={t.atWhatTime}
        value={`${two(schedule.hour)}:${two(schedule.minute)}`}
        onChange={(event) => {
          const [hour, minute] = event.target.value.split(':').map(Number);
          if (hour !== undefined && minute !== undefined && !Number.isNaN(hour + minute))
            onChange({ ...schedule, hour, minute });
        }}
      />
    </>
  );
}

const WHEN = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/* The clock of the schedule's place stands in the text itself. */
const sayLocal = (local: string) => WHEN.format(new Date(`${local.slice(0, 19)}Z`));

function Ticks({ config }: { readonly config: ControlProps['node']['config'] }) {
  const ticks = useQuery({ ...previewTicksQuery(config), placeholderData: keepPreviousData });
  if (ticks.isError) return <p className="help">{asProblem(ticks.error).message}</p>;
  const items = ticks.data?.items ?? [];
  const [first, ...others] = items;
  if (first === undefined) return ticks.isPending ? null : <p className="help">{t.itNeverStarts}</p>;
  return (
    <details className={styles['ticks']}>
      <summary>
        <span className="s">{t.next(sayLocal(first.local))}</span>
      </summary>
      <ol className="dim s">
        {others.map((tick) => (
          <li key={tick.at}>{sayLocal(tick.local)}</li>
        ))}
      </ol>
    </details>
  );
}

const zones = (): readonly string[] => Intl.supportedValuesOf('timeZone');

export function ZoneControl({ param, value, onChange }: ControlProps) {
  const id = useId();
  return (
    <>
      <input
        className="in"
        aria-label={param.label}
        list={id}
        placeholder={textOf(param.default)}
        value={textOf(value)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value, true)}
      />
      <datalist id={id}>
        {zones().map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
