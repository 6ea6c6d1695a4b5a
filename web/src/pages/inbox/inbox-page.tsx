/* pages/inbox/inbox-page.tsx — people's tasks: the list by due date, the task, and the run that waits for it. The address says
 * which task and whose list: /inbox/TASK?for=groups. */
import { useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';

import { isOpen } from '../../api/me';
import { inboxAddress } from '../../ui/addresses';
import { type KeyBinding, useKeys } from '../../ui/keys';
import { useMay, useMe } from '../../ui/may';
import { usePerson } from '../../ui/person';
import { useLive } from '../../ui/use-live';
import { useParam } from '../../ui/use-param';
import { useTitle } from '../../ui/use-title';
import { t } from '../../texts/inbox';
import styles from './inbox.module.css';
import { LostAnswers } from './lost-answers';
import { type Sent, SentNote } from './sent-note';
import { ListKeys, TaskList } from './task-list';
import { TaskPane } from './task-pane';
import { parseWhose, printWhose, useTaskLists, WHOSE_WORDS, type Whose, WHOSES } from './task-lists';
import { WhoAmI } from './who-am-i';

/** Which task wants the focus in its form; the number makes asking twice two wishes. */
interface Wish {
  readonly taskId: string;
  readonly number: number;
}

export function InboxPage() {
  const person = usePerson();
  return person === null ? <WhoAmI person={null} onDone={() => undefined} /> : <Inbox key={person.name} />;
}

function focusRow(taskId: string): void {
  document.querySelector<HTMLElement>(`[data-task="${CSS.escape(taskId)}"]`)?.focus();
}

function Inbox() {
  const asked = useParam('task') || undefined;
  const [, navigate] = useLocation();
  const may = useMay();
  const shown = WHOSES.filter((one) => one !== 'all' || may('tasks:all') || may('instances:read'));
  const wanted = parseWhose(useSearch());
  const whose = shown.includes(wanted) ? wanted : 'mine';
  // The engine knows who is signed in, and asks nobody.
  const isAsked = isOpen(useMe());
  const person = usePerson() ?? { name: '', groups: [] };
  const [wish, setWish] = useState<Wish | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [sent, setSent] = useState<Sent | null>(null);
  useLive(['tasks', 'instances']);
  const lists = useTaskLists(whose, person);
  const tasks = lists.sections.flatMap((section) => section.tasks);
  const current = asked ?? tasks[0]?.id;
  const at = tasks.findIndex((task) => task.id === current);
  const open = (taskId: string | undefined) => navigate(inboxAddress(taskId) + printWhose(whose));
  const openAndWork = (taskId: string) => {
    open(taskId);
    setWish((last) => ({ taskId, number: (last?.number ?? 0) + 1 }));
  };
  const step = (by: number) => {
    const next = tasks[Math.min(tasks.length - 1, Math.max(0, at + by))];
    if (next === undefined) return;
    open(next.id);
    focusRow(next.id);
  };
  const keys: readonly KeyBinding[] = useMemo(
    () => [
      { key: 'j', says: t.nextTask, run: () => step(1) },
      { key: 'k', says: t.taskBefore, run: () => step(-1) },
      { key: 'Enter', says: t.openTheTaskAndGo },
      {
        key: 'c',
        says: t.takeTheTaskOrPut,
        run: () => document.getElementById('take')?.click(),
      },
      { key: 'h', says: t.handItOver, run: () => document.getElementById('hand-over')?.click() },
      { key: 'm', says: t.writeAComment, run: () => document.getElementById('comment')?.focus() },
      { key: 'Ctrl Enter', says: t.sendTheAnswer },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [tasks, at, whose],
  );
  useKeys(t.inbox, keys);
  const next = tasks[at + 1] ?? tasks[at - 1];
  return (
    <div className={`bleed ${styles['inbox'] ?? ''}`} data-open={asked !== undefined}>
      <section aria-label={t.tasks} className={styles['side']}>
        <h1 className={`sr ${styles['heading'] ?? ''}`}>{t.inbox}</h1>
        <WhoseTabs
          whose={whose}
          shown={shown}
          counts={lists.counts}
          onChoose={(one) => navigate(inboxAddress() + printWhose(one))}
        />
        {sent?.next === null && tasks.length === 0 && <SentNote sent={sent} />}
        <LostAnswers person={person} current={current} />
        <TaskList
          lists={lists}
          current={current}
          onOpen={openAndWork}
          addressOf={(id) => inboxAddress(id) + printWhose(whose)}
        />
        <footer className={styles['me']}>
          <ListKeys />
          {isAsked ? (
            <button
              className="btn quiet small"
              type="button"
              onClick={() => setAsking(true)}
              title={t.whoYou}
            >
              <span className="cut">{person.name}</span>
            </button>
          ) : (
            <span className="cut s" title={t.signedIn(person.name)}>
              <bdi>{person.name}</bdi>
            </span>
          )}
        </footer>
      </section>
      {current === undefined ? (
        <section className={styles['nothing']}>
          <Title />
          <h1>{t.inbox}</h1>
          {lists.isPending ? null : <p className="mid">{nothingWords(whose)}</p>}
        </section>
      ) : (
        <TaskPane
          key={current}
          taskId={current}
          person={person}
          focusWish={wish?.taskId === current ? wish.number : 0}
          next={next}
          sent={sent?.next?.id === current ? sent : null}
          back={inboxAddress() + printWhose(whose)}
          onOver={() => {
            setSent({ title: tasks[at]?.title ?? '', next: next ?? null });
            open(next?.id);
            if (next !== undefined) focusRow(next.id);
          }}
        />
      )}
      {isAsking && <WhoAmI person={person} onDone={() => setAsking(false)} />}
    </div>
  );
}

function Title() {
  useTitle(t.inbox);
  return null;
}

function nothingWords(whose: Whose): string {
  if (whose === 'mine') return t.nothingWaitsForYouNew;
  return whose === 'groups' ? t.nothingWaitsForYourGroups : t.noRunWaitsForAnybody;
}

interface WhoseTabsProps {
  readonly shown: readonly Whose[];
  readonly whose: Whose;
  readonly counts: ReadonlyMap<Whose, string>;
  readonly onChoose: (whose: Whose) => void;
}

function WhoseTabs({ whose, shown, counts, onChoose }: WhoseTabsProps) {
  return (
    <div className={styles['who']}>
      <div className="tabs" role="group" aria-label={t.whoseTasks}>
        {shown.map((one) => (
          <button
            key={one}
            type="button"
            className={styles['tab']}
            {...(one === whose ? { 'aria-current': true } : {})}
            onClick={() => onChoose(one)}
          >
            {WHOSE_WORDS[one]}
            {counts.has(one) && <span className="n">{counts.get(one)}</span>}
          </button>
        ))}
      </div>
    </div>
  );
}
