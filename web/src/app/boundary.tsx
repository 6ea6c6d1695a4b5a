/* app/boundary.tsx — keeps a mistake of ours inside one part of the screen, and says that it is ours. */
import { Component, type ReactNode } from 'react';
import { t } from '../texts/app';

interface BoundaryProps {
  readonly children: ReactNode;
  /** The part that broke, in the middle of a sentence: "this page". */
  readonly what: string;
  /** When it changes, the mistake is forgotten: another page has another chance. */
  readonly resetKey?: string;
}

export class Boundary extends Component<BoundaryProps, { readonly thrown: Error | null }> {
  override state: { readonly thrown: Error | null } = { thrown: null };

  static getDerivedStateFromError(thrown: Error) {
    return { thrown };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (before.resetKey !== this.props.resetKey && this.state.thrown !== null)
      this.setState({ thrown: null });
  }

  override render() {
    const { thrown } = this.state;
    if (thrown === null) return this.props.children;
    return (
      <section className="card boundary" role="alert">
        <h2>{t.weMadeAMistake(this.props.what)}</h2>
        <p className="mid">{t.nothingInTheEngine(thrown.message)}</p>
        <button className="btn" type="button" onClick={() => this.setState({ thrown: null })}>
          {t.tryAgain}
        </button>
      </section>
    );
  }
}
