/* pages/inbox/sent-note.tsx — what became of the answer before, and what is shown now. */
import type { Task } from '../../api/tasks';
import { t } from '../../texts/inbox';
import styles from './inbox.module.css';

export interface Sent {
  readonly title: string;
  /** Null: nothing else waits. */
  readonly next: Task | null;
}

export function SentNote({ sent: { title, next } }: { readonly sent: Sent }) {
  return (
    <p className={styles['sent']} dir="auto">
      {t.sent2(title, next === null ? t.nothingElseWaits : t.next2(next.title))}
    </p>
  );
}
