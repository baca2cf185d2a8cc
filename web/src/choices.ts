// What the reader has chosen.

import type { LevelChange, Overview, Query } from './documents';

export class Choices {
  operation: string;
  size: number;
  root: number;
  plan: string; // empty: the chosen one
  beside: string | null = null;
  levels: LevelChange[];
  nodes = new Map<number, number>();
  swaps: [number, number][] = [];
  selectedRank: number | null = null;
  isMoving = false;

  constructor(overview: Overview) {
    const { first } = overview;
    this.operation = first.operation;
    this.size = first.size_bytes;
    this.root = first.root;
    this.plan = first.plan;
    this.levels = overview.machine.levels.map((_, level) => ({ level, latency: 1000, bandwidth: 1000 }));
  }

  isChanged(): boolean {
    return this.changedLevels().length > 0 || this.nodes.size > 0 || this.swaps.length > 0;
  }
  resetChanges(): void {
    for (const one of this.levels) one.latency = one.bandwidth = 1000;
    this.nodes.clear();
    this.swaps = [];
  }
  private changedLevels(): LevelChange[] {
    return this.levels.filter((one) => one.latency !== 1000 || one.bandwidth !== 1000);
  }

  query(plan: string, quick: boolean): Query {
    return {
      operation: this.operation,
      size_bytes: this.size,
      root: this.root,
      plan,
      quick,
      levels: this.changedLevels().map((one) => ({ ...one })),
      nodes: [...this.nodes].map(([rank, message_ps]) => ({ rank, message_ps })),
      swaps: this.swaps.map(([a, b]): [number, number] => [a, b]),
    };
  }
  /** The same call on the machine as it was described. */
  unchangedQuery(): Query {
    return { ...this.query('', true), levels: [], nodes: [], swaps: [] };
  }
}
