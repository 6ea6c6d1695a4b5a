/* api/pending-pictures.ts — the engine's picture of a definition, until contract/openapi.json has it. */

export interface PictureNode {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly kind: string;
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly zone: string | null;
  readonly isZone: boolean;
}

export interface PictureEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly kind: 'normal' | 'timer' | 'error' | 'back' | 'inward';
  readonly points: readonly (readonly number[])[];
  readonly labelAt: readonly number[] | null;
}

export interface Picture {
  readonly definitionId: string;
  readonly version?: number;
  readonly dialect: string;
  readonly left?: number;
  readonly top?: number;
  readonly width: number;
  readonly height: number;
  readonly start: string | null;
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}
