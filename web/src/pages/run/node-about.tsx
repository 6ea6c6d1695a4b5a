/* pages/run/node-about.tsx — a step that the run has not visited: what it is, what leads to it, and that it was not reached. */
import type { Run } from '../../api/instances';
import type { Picture, PictureNode } from '../../api/pictures';
import { Icon } from '../../ui/icon';
import { kindLook } from '../../ui/kinds';
import { sayCaption, sayLineLabel } from '../../ui/line-words';
import { t } from '../../texts/run';
import styles from './run.module.css';

interface NodeAboutProps {
  readonly run: Run;
  readonly node: PictureNode;
  readonly picture: Picture;
  readonly onShow: (nodeId: string) => void;
}

interface Way {
  readonly id: string;
  readonly title: string;
  readonly label: string;
  readonly isVisited: boolean;
}

/** The lines that lead to the step. */
export function waysTo(run: Pick<Run, 'nodes'>, picture: Picture, nodeId: string): readonly Way[] {
  const titles = new Map(picture.nodes.map(({ id, title }) => [id, title]));
  return picture.edges
    .filter(({ to }) => to === nodeId)
    .map(({ from, label }) => ({
      id: from,
      title: titles.get(from) ?? from,
      label: label.replaceAll('\n', ' '),
      isVisited: run.nodes[from] !== undefined,
    }));
}

export function NodeAbout({ run, node, picture, onShow }: NodeAboutProps) {
  const ways = waysTo(run, picture, node.id);
  const isOver = run.status === 'completed' || run.status === 'cancelled';
  return (
    <>
      <header>
        <Icon name={kindLook(node.kind, node.type).icon} />
        <h2 className="cut" dir="auto">
          {node.title}
        </h2>
        <span className="count">{t.notReached}</span>
      </header>
      <div className={styles['about']}>
        {node.caption !== '' && <p dir="auto">{sayCaption(node.caption)}</p>}
        <p className="mid">
          {isOver
            ? t.theRunEndedWithout
            : run.status === 'failed'
              ? t.theRunStoppedBefore
              : t.theRunHasNotCome}
        </p>
        {ways.length > 0 && (
          <ul aria-label={t.whatLeads}>
            {ways.map((way) => (
              <li key={`${way.id} ${way.label}`}>
                <span className="dim">{t.after}</span>{' '}
                <button type="button" className={styles['step']} onClick={() => onShow(way.id)}>
                  <bdi>{way.title}</bdi>
                </button>
                {way.label !== '' && <span>{t.if(<bdi>{sayLineLabel(way.label)}</bdi>)}</span>}
                <span className="dim">
                  {way.isVisited ? (isOver ? t.whichWentAnotherWay : '') : t.whichWasNotReachedEither}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}
