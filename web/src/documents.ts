// The documents that espalier view sends (docs/formats.md, espalier-view-1), and where they come from: a server, or the data
// inside this file. Nothing is planned here.

export interface Level {
  channel: string;
  members: string;
}
export interface Figures {
  latency_ps: [number, number] | null;
  bandwidth_bps: [number, number] | null;
}
export interface MachineDocument {
  name: string;
  processes: number;
  levels: Level[];
  figures: Figures[];
  clusters: {
    parent: number[];
    name: string[];
    depth: number[];
    first_leaf: number[];
    leaves: number[];
    latency: string[];
    uplink: (string | null)[];
  };
  leaves: { rank: number[]; cluster: number[]; name: string[]; message_ps: number[] };
}
export interface Operation {
  name: string;
  has_root: boolean;
  has_size: boolean;
}
export interface Overview {
  source: string;
  about: string | null; // of a placement: what was placed
  machine: MachineDocument;
  operations: Operation[];
  schedule: string | null;
  first: { operation: string; size_bytes: number; root: number; plan: string };
}

type Times = (number | null)[];
export interface TimelineDocument {
  kind: string;
  tick_ps: number;
  finish_ps: number | null;
  messages: {
    from: number[];
    to: number[];
    bytes: number[];
    level: number[];
    send_begin: Times;
    send_end: Times;
    flows: Times;
    arrived: Times;
    recv_begin: Times;
    recv_end: Times;
  };
  steps: { rank: number[]; begin: Times; end: Times };
  rank_finish: { at: Times };
  critical_path: {
    kind: string[];
    rank: number[];
    peer: (number | null)[];
    begin: number[];
    end: number[];
    slowed_by: (string | null)[];
  };
  bottleneck: string | null;
}
export interface Candidate {
  plan: string;
  kind: string; // plans of one kind differ in tree shapes and segments
  predicted_ps: number | null;
  simulated_ps: number | null;
}
export interface PlanDocument {
  call: { operation: string; size_bytes: number; root: number; has_root: boolean; words: string };
  chosen: string | null;
  plan: string;
  bound: { ps: number; because: string } | null;
  per_level: string[];
  figures: Figures[];
  messages: number;
  quick: boolean;
  candidates: Candidate[];
  timelines: TimelineDocument[]; // of a call that ran: simulated, if it can be, and measured
  measured?: Measured;
}

/** A call that ran, beside the simulation of its plan. */
export interface Measured {
  number: number;
  plan: string;
  residual_ps: number;
  words: string;
  late: string; // who entered last, and how much later than the first
  largest: { message: number; link: string; excess_ps: number } | null;
  links: { link: string; level: number; messages: number; median_excess_ps: number }[];
}

export interface LevelChange {
  level: number;
  latency: number; // thousandths
  bandwidth: number;
}
export interface NodeChange {
  rank: number;
  message_ps: number;
}
export interface Query {
  operation: string;
  size_bytes: number;
  root: number;
  plan: string;
  quick: boolean;
  levels: LevelChange[];
  nodes: NodeChange[];
  swaps: [number, number][];
}

/** What can be asked. In a file: only what was computed. */
export interface Source {
  readonly isLive: boolean;
  overview(): Promise<Overview>;
  plan(query: Query): Promise<PlanDocument>;
  /** Sizes that can be asked for, smallest first. */
  sizes(operation: string): number[];
  /** Factors of the outermost latency in thousandths; empty: any. */
  latencyFactors(operation: string, size: number): number[];
  /** Whether the plan of this name can be shown for the call. */
  has(query: Query): boolean;
}

/** An error whose words are for the reader. */
export class Refusal extends Error {
  constructor(message: string, readonly hint: string) {
    super(message);
  }
}

class Server implements Source {
  readonly isLive = true;

  private async ask<T>(path: string, body: unknown): Promise<T> {
    let response: Response;
    try {
      response = await fetch(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    } catch {
      throw new Refusal('espalier view does not answer', 'Start it again and open the address that it prints.');
    }
    const text = await response.text();
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      throw new Refusal(text.trim() || `status ${response.status}`, '');
    }
    if (!response.ok) {
      const { error, hint } = document as { error?: string; hint?: string };
      throw new Refusal(error ?? `status ${response.status}`, hint ?? '');
    }
    return document as T;
  }

  overview(): Promise<Overview> {
    return this.ask('api/overview', {});
  }
  plan(query: Query): Promise<PlanDocument> {
    return this.ask('api/plan', query);
  }
  sizes(): number[] {
    return Array.from({ length: 24 }, (_, i) => 8 * 2 ** i); // 8 B to 64 MiB
  }
  latencyFactors(): number[] {
    return [];
  }
  has(): boolean {
    return true;
  }
}

interface FileData {
  overview: Overview;
  points: Record<string, PlanDocument>;
}

class FilePoints implements Source {
  readonly isLive = false;
  private readonly points: Map<string, PlanDocument>;
  constructor(private readonly data: FileData) {
    this.points = new Map(Object.entries(data.points));
  }

  async overview(): Promise<Overview> {
    const known = new Set([...this.points.keys()].map((key) => key.split('|')[0]));
    const operations = this.data.overview.operations.filter((one) => known.has(one.name));
    const first = { ...this.data.overview.first };
    if (!known.has(first.operation)) first.operation = operations[0]?.name ?? first.operation;
    const sizes = this.sizes(first.operation);
    first.size_bytes = nearest(sizes, first.size_bytes);
    if (!this.points.has(`${first.operation}|${first.size_bytes}|1000|${first.plan}`)) first.plan = '';
    return { ...this.data.overview, operations, first };
  }
  async plan(query: Query): Promise<PlanDocument> {
    const found = this.points.get(this.key(query)) ?? this.points.get(this.key({ ...query, plan: '' }));
    if (found === undefined) throw new Refusal('this point is not in the file', 'Run espalier view without --html.');
    return found;
  }
  sizes(operation: string): number[] {
    const found = new Set<number>();
    for (const key of this.points.keys()) {
      const [name, size] = key.split('|');
      if (name === operation) found.add(Number(size));
    }
    return [...found].sort((a, b) => a - b);
  }
  latencyFactors(operation: string, size: number): number[] {
    const found = new Set<number>();
    for (const key of this.points.keys()) {
      const [name, bytes, factor, plan] = key.split('|');
      if (name === operation && Number(bytes) === size && plan === '') found.add(Number(factor));
    }
    return [...found].sort((a, b) => a - b);
  }
  has(query: Query): boolean {
    return this.points.has(this.key(query));
  }
  private key(query: Query): string {
    const factor = query.levels.find((one) => one.level === 0)?.latency ?? 1000;
    const size = nearest(this.sizes(query.operation), query.size_bytes);
    const key = (plan: string) => `${query.operation}|${size}|${factor}|${plan}`;
    const chosen = this.points.get(key(''));
    return key(chosen !== undefined && chosen.chosen === query.plan ? '' : query.plan);
  }
}

/** The element of a sorted list that is nearest by ratio. */
export function nearest(list: readonly number[], value: number): number {
  let best = list[0] ?? value;
  for (const one of list) {
    if (Math.abs(Math.log(one / value)) < Math.abs(Math.log(best / value))) best = one;
  }
  return best;
}

/** From the data in the page, or else from the server that sent it. */
export function findSource(): Source {
  const text = document.getElementById('data')?.textContent ?? 'null';
  const data = JSON.parse(text) as FileData | null;
  return data === null ? new Server() : new FilePoints(data);
}
