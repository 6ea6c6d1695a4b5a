/* pages/builder/part.tsx — keeps a mistake of ours in one part of the builder: a broken canvas leaves the outline in use. */
import { Component, type ReactNode } from 'react';
import { t } from '../../texts/builder';

interface PartProps {
  readonly children: ReactNode;
  readonly what: string;
}

export class Part extends Component<PartProps, { readonly thrown: Error | null }> {
  override state: { readonly thrown: Error | null } = { thrown: null };

  static getDerivedStateFromError(thrown: Error) {
    return { thrown };
  }

  override render() {
    const { thrown } = this.state;
    if (thrown === null) return this.props.children;
    return (
      <section className="card boundary" role="alert">
        <h2>{t.weMadeAMistake(this.props.what)}</h2>
        <p className="mid">{t.yourFlowIsKept(thrown.message)}</p>
        <button className="btn" type="button" onClick={() => this.setState({ thrown: null })}>
          {t.tryAgain}
        </button>
      </section>
    );
  }
}
