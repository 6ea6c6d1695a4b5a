/* pages/builder/reminder-controls.tsx — reminders and escalations as sentences with blanks to fill in. Loaded when a panel shows one. */
import { type Duration, singleOf, type Unit, UNITS } from '../../flow/duration';
import {
  type Escalation,
  NEW_ESCALATION,
  NEW_REMINDER,
  printEscalations,
  printReminders,
  readEscalations,
  readReminders,
  type Reminder,
  sayReminder,
} from '../../flow/reminders';
import { Icon } from '../../ui/icon';
import { t } from '../../texts/panel';
import { unitWord } from '../../texts/say';
import { Chips } from './chips';
import type { ControlProps } from './field';
import styles from './panel.module.css';

const COUNT_MAX = 9999;
/** Seconds are too short to remind anybody. */
const REMINDER_UNITS: readonly Unit[] = UNITS.filter((unit) => unit !== 'seconds');

function Span({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: Duration;
  readonly onChange: (value: Duration, isTyping: boolean) => void;
}) {
  const units = REMINDER_UNITS.includes(value.unit) ? REMINDER_UNITS : UNITS;
  return (
    <span className={styles['span']}>
      <input
        className="in"
        type="number"
        min={1}
        max={COUNT_MAX}
        aria-label={label}
        value={value.count}
        onChange={(event) => {
          const count = Math.floor(Number(event.target.value));
          if (count >= 1) onChange({ ...value, count: Math.min(count, COUNT_MAX) }, true);
        }}
      />
      <select
        className="in"
        aria-label={t.unit(label)}
        value={value.unit}
        onChange={(event) => onChange({ ...value, unit: event.target.value as Unit }, false)}
      >
        {units.map((unit) => (
          <option key={unit} value={unit}>
            {unitWord(value.count, singleOf(unit))}
          </option>
        ))}
      </select>
    </span>
  );
}

function Check({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <label className={styles['check']}>
      <input
        type="checkbox"
        className="cb"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}

function RemoveButton({ label, onPress }: { readonly label: string; readonly onPress: () => void }) {
  return (
    <button type="button" className="btn small quiet" aria-label={label} onClick={onPress}>
      <Icon name="close" small />
    </button>
  );
}

function AddButton({ label, onPress }: { readonly label: string; readonly onPress: () => void }) {
  return (
    <button type="button" className="btn small quiet" onClick={onPress}>
      <Icon name="plus" small />
      {label}
    </button>
  );
}

function Unshown() {
  return <p className="help">{t.thisIsFilled}</p>;
}

const replaced = <Item,>(list: readonly Item[], at: number, item: Item): readonly Item[] =>
  list.map((each, i) => (i === at ? item : each));
const without = <Item,>(list: readonly Item[], at: number): readonly Item[] =>
  list.filter((_, i) => i !== at);

function ReminderRow({
  at,
  reminder,
  onChange,
  onRemove,
}: {
  readonly at: number;
  readonly reminder: Reminder;
  readonly onChange: (reminder: Reminder, isTyping?: boolean) => void;
  readonly onRemove: () => void;
}) {
  const name = t.reminder(at + 1);
  return (
    <div className={styles['together']} role="group" aria-label={name}>
      <div className={styles['sentence']}>
        <span>{t.after}</span>
        <Span
          label={t.after2(name)}
          value={reminder.after}
          onChange={(after, isTyping) => onChange({ ...reminder, after }, isTyping)}
        />
        <RemoveButton label={t.removeReminder(at + 1)} onPress={onRemove} />
      </div>
      <Check
        label={t.eMailThem}
        isOn={!reminder.isQuiet}
        onChange={(isOn) => onChange({ ...reminder, isQuiet: !isOn })}
      />
      <Check
        label={t.andAgainUntilSomebody}
        isOn={reminder.every !== null}
        onChange={(isOn) => onChange({ ...reminder, every: isOn ? { count: 1, unit: 'days' } : null })}
      />
      {reminder.every !== null && (
        <div className={styles['sentence']}>
          <span>{t.every}</span>
          <Span
            label={t.every2(name)}
            value={reminder.every}
            onChange={(every, isTyping) => onChange({ ...reminder, every }, isTyping)}
          />
        </div>
      )}
      <p className="help">{sayReminder(reminder)}</p>
    </div>
  );
}

export function RemindersControl({ value, onChange }: ControlProps) {
  const reminders = readReminders(value);
  if (reminders === null) return <Unshown />;
  const set = (next: readonly Reminder[], isTyping?: boolean) => onChange(printReminders(next), isTyping);
  return (
    <>
      {reminders.map((reminder, at) => (
        <ReminderRow
          key={at}
          at={at}
          reminder={reminder}
          onChange={(next, isTyping) => set(replaced(reminders, at, next), isTyping)}
          onRemove={() => set(without(reminders, at))}
        />
      ))}
      <AddButton label={t.addAReminder} onPress={() => set([...reminders, NEW_REMINDER])} />
    </>
  );
}

function EscalationRow({
  nodeId,
  escalation,
  onChange,
  onRemove,
}: {
  readonly nodeId: string;
  readonly escalation: Escalation;
  readonly onChange: (escalation: Escalation, isTyping?: boolean) => void;
  readonly onRemove: () => void;
}) {
  return (
    <div className={styles['together']} role="group" aria-label={t.handToOthers}>
      <div className={styles['sentence']}>
        <span>{t.after}</span>
        <Span
          label={t.handToOthersAfter}
          value={escalation.after}
          onChange={(after, isTyping) => onChange({ ...escalation, after }, isTyping)}
        />
        <RemoveButton label={t.doNotHand} onPress={onRemove} />
      </div>
      <span className="label">{t.askThesePeople}</span>
      <Chips
        label={t.peopleWhoGet}
        whom="people"
        nodeId={nodeId}
        values={escalation.people}
        canPick={false}
        onChange={(people) => onChange({ ...escalation, people })}
      />
      <span className="label">{t.andTheseGroups}</span>
      <Chips
        label={t.groupsWhoGet}
        whom="groups"
        nodeId={nodeId}
        values={escalation.groups}
        canPick={false}
        onChange={(groups) => onChange({ ...escalation, groups })}
      />
      <Check
        label={t.takeItFromThePerson}
        isOn={escalation.isTaken}
        onChange={(isTaken) => onChange({ ...escalation, isTaken })}
      />
      <Check
        label={t.eMailTheNewPeople}
        isOn={!escalation.isQuiet}
        onChange={(isOn) => onChange({ ...escalation, isQuiet: !isOn })}
      />
    </div>
  );
}

export function EscalationControl({ node, value, onChange }: ControlProps) {
  const escalations = readEscalations(value);
  if (escalations === null) return <Unshown />;
  const set = (next: readonly Escalation[], isTyping?: boolean) => onChange(printEscalations(next), isTyping);
  const canAdd = escalations.length === 0 || node.type === 'human_task';
  return (
    <>
      {escalations.map((escalation, at) => (
        <EscalationRow
          key={at}
          nodeId={node.id}
          escalation={escalation}
          onChange={(next, isTyping) => set(replaced(escalations, at, next), isTyping)}
          onRemove={() => set(without(escalations, at))}
        />
      ))}
      {canAdd && <AddButton label={t.handItToOthers} onPress={() => set([...escalations, NEW_ESCALATION])} />}
    </>
  );
}
