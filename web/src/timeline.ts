// A timeline, ready for drawing: typed arrays, and which messages are under way at a time.

import type { PlanDocument, TimelineDocument } from './documents';

export interface Step {
  kind: string;
  rank: number;
  peer: number | null;
  begin: number;
  end: number;
  slowedBy: string | null;
  left: number; // a transfer: when its sender turned to it
}

/** Times are picoseconds; NaN: never. */
export interface Timeline {
  kind: string;
  finish: number; // of the last rank, or of the last thing that happens
  neverEnds: boolean;
  count: number;
  from: Uint32Array;
  to: Uint32Array;
  bytes: Float64Array;
  level: Uint8Array;
  leaves: Float64Array; // the sender turns to it
  sent: Float64Array;
  flows: Float64Array;
  arrives: Float64Array;
  taken: Float64Array; // the receiver turns to it
  received: Float64Array;
  stepRank: Uint32Array;
  stepBegin: Float64Array;
  stepEnd: Float64Array;
  rankFinish: Float64Array;
  path: Step[];
  bottleneck: string | null;
  active: ActiveIndex;
}

/** Pairs of ranks that exchange messages. */
export interface Edge {
  from: number;
  to: number;
  level: number;
  messages: number;
  bytes: number;
}

/** For each slice of time, the messages that are under way in it. */
export class ActiveIndex {
  private readonly start: Int32Array;
  private readonly list: Int32Array;
  private readonly slices: number;

  constructor(begin: Float64Array, end: Float64Array, private readonly finish: number) {
    const count = begin.length;
    this.slices = Math.max(32, Math.min(512, Math.floor(2 ** 22 / Math.max(1, count))));
    const sizes = new Int32Array(this.slices + 1);
    const each = (visit: (slice: number, message: number) => void) => {
      for (let m = 0; m < count; m++) {
        if (Number.isNaN(begin[m]!)) continue;
        const last = Number.isNaN(end[m]!) ? finish : end[m]!;
        for (let s = this.slice(begin[m]!), e = this.slice(last); s <= e; s++) visit(s, m);
      }
    };
    each((slice) => (sizes[slice + 1]! += 1));
    for (let s = 0; s < this.slices; s++) sizes[s + 1]! += sizes[s]!;
    this.start = sizes.slice();
    this.list = new Int32Array(sizes[this.slices]!);
    const next = sizes.slice();
    each((slice, message) => (this.list[next[slice]!++] = message));
  }

  /** Messages that may be under way; their times still have to be compared. */
  at(time: number): Int32Array {
    const slice = this.slice(time);
    return this.list.subarray(this.start[slice]!, this.start[slice + 1]!);
  }
  private slice(time: number): number {
    const slice = Math.floor((time / Math.max(1, this.finish)) * this.slices);
    return Math.max(0, Math.min(this.slices - 1, slice));
  }
}

function times(list: (number | null)[], tick: number): Float64Array {
  return Float64Array.from(list, (value) => (value === null ? NaN : value * tick));
}

function arrivalKey(from: number, to: number, time: number): string {
  return `${from} ${to} ${time}`;
}

function readPath(path: TimelineDocument['critical_path'], tick: number, leftAt: (from: number, to: number, end: number) => number): Step[] {
  return path.kind.map((kind, i) => {
    const [begin, end] = [path.begin[i]! * tick, path.end[i]! * tick];
    const peer = path.peer[i]!;
    const left = kind === 'transfer' && peer !== null ? leftAt(path.rank[i]!, peer, end) : NaN;
    return { kind, rank: path.rank[i]!, peer, begin, end, slowedBy: path.slowed_by[i]!, left: Number.isNaN(left) ? begin : left };
  });
}

export function readTimeline(doc: TimelineDocument): Timeline {
  const { messages: m, steps, critical_path: path, tick_ps: tick } = doc;
  const leaves = times(m.send_begin, tick);
  const arrives = times(m.arrived, tick);
  const received = times(m.recv_end, tick);
  const rankFinish = times(doc.rank_finish.at, tick);
  const arrivals = new Map<string, number>();
  const last = new Set(path.rank.map((rank, i) => rank * 65536 + (path.peer[i] ?? rank)));
  m.from.forEach((from, i) => {
    if (last.has(from * 65536 + m.to[i]!)) arrivals.set(arrivalKey(from, m.to[i]!, arrives[i]!), i);
  });
  let finish = doc.finish_ps ?? 0;
  if (doc.finish_ps === null) {
    for (const list of [leaves, arrives, received, rankFinish]) for (const t of list) if (t > finish) finish = t;
  }
  return {
    kind: doc.kind,
    finish,
    neverEnds: doc.finish_ps === null,
    count: m.from.length,
    from: Uint32Array.from(m.from),
    to: Uint32Array.from(m.to),
    bytes: Float64Array.from(m.bytes),
    level: Uint8Array.from(m.level),
    leaves,
    sent: times(m.send_end, tick),
    flows: times(m.flows, tick),
    arrives,
    taken: times(m.recv_begin, tick),
    received,
    stepRank: Uint32Array.from(steps.rank),
    stepBegin: times(steps.begin, tick),
    stepEnd: times(steps.end, tick),
    rankFinish,
    path: readPath(path, tick, (from, to, end) => {
      const m = arrivals.get(arrivalKey(from, to, end));
      return m === undefined ? NaN : leaves[m]!;
    }),
    bottleneck: doc.bottleneck,
    active: new ActiveIndex(leaves, arrives, finish),
  };
}

export function edgesOf(timeline: Timeline): Edge[] {
  const found = new Map<number, Edge>();
  for (let i = 0; i < timeline.count; i++) {
    const from = timeline.from[i]!;
    const to = timeline.to[i]!;
    if (from === to) continue;
    const key = from * 65536 + to;
    const edge = found.get(key);
    if (edge === undefined) {
      found.set(key, { from, to, level: timeline.level[i]!, messages: 1, bytes: timeline.bytes[i]! });
    } else {
      edge.messages += 1;
      edge.bytes += timeline.bytes[i]!;
    }
  }
  return [...found.values()];
}

/** A plan as it is shown: its document, its timelines, who sends to whom. */
export interface Shown {
  doc: PlanDocument;
  timeline: Timeline | null; // the measured one, if there is one
  simulated: Timeline | null; // behind a measured one
  edges: Edge[];
}

export function show(doc: PlanDocument): Shown {
  const measured = doc.timelines.find((one) => one.kind === 'measured');
  const first = measured ?? doc.timelines[0];
  const timeline = first === undefined ? null : readTimeline(first);
  const behind = measured === undefined ? undefined : doc.timelines.find((one) => one.kind === 'simulated');
  const simulated = behind === undefined ? null : readTimeline(behind);
  return { doc, timeline, simulated, edges: timeline === null ? [] : edgesOf(timeline) };
}

/** Parts of the critical path: what was waited for, and how long. */
export interface PathPart {
  words: string;
  level: number | null;
  time: number;
}

export function pathParts(timeline: Timeline, levelOf: (a: number, b: number) => number, names: string[]): PathPart[] {
  const parts = new Map<string, PathPart>();
  for (const step of timeline.path) {
    const transfer = step.kind === 'transfer' && step.peer !== null;
    const level = transfer ? levelOf(step.rank, step.peer!) : null;
    const words = transfer ? `over ${names[level!] ?? 'itself'}` : step.kind === 'recv' ? 'receiving' : `${step.kind.replace(/e$/, '')}ing`;
    const part = parts.get(words) ?? { words, level, time: 0 };
    part.time += step.end - step.begin;
    parts.set(words, part);
  }
  return [...parts.values()].filter((one) => one.time > 0).sort((a, b) => b.time - a.time);
}
