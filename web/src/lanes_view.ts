// The timeline: a lane for each process or folded cluster, messages as slanted lines, the critical path on top.

import type { Box } from './layout';
import { axisStep, time as inWords } from './format';
import { levelColour } from './palette';
import type { PreparedScene } from './machine_view';
import type { Pen } from './pen';

const kReadable = 9; // pixels of a row whose name can be read
const kNameLength = 16;

export interface Lanes {
  left: number;
  top: number;
  width: number;
  height: number; // of all lanes
  span: number; // picoseconds from left to right
}

export function lanesIn(scene: PreparedScene, width: number, height: number, span: number): Lanes {
  const rowHeight = (height - 40) / scene.layout.rows.length;
  const names = namesOf(scene, rowHeight >= kReadable ? scene.layout.rows : groups(scene, rowHeight));
  const left = 20 + 6.3 * Math.max(0, ...names.map((name) => name.length));
  return { left, top: 22, width: Math.max(10, width - left - 22), height: Math.max(10, height - 40), span: Math.max(1, span) };
}

/** Clusters that are named instead of their rows: the innermost ones that are high enough for a name. */
function groups(scene: PreparedScene, rowHeight: number): Box[] {
  const clusters = scene.layout.boxes.filter((box) => !box.isLeaf && box.depth > 0);
  for (let depth = Math.max(0, ...clusters.map((box) => box.depth)); depth > 0; depth--) {
    // Clusters of processes that stand less deep are innermost too.
    const here = clusters.filter((box) => box.depth === depth || (box.depth < depth && box.members.every((one) => one.isLeaf)));
    if (here.length > 0 && here.every((box) => rowsOf(scene, box) * rowHeight >= 13)) return here;
  }
  return [];
}

function rowsOf(scene: PreparedScene, box: Box): number {
  const { rowOfLeaf } = scene.layout;
  return rowOfLeaf[box.firstLeaf + box.leaves - 1]! - rowOfLeaf[box.firstLeaf]! + 1;
}

export function toX(lanes: Lanes, time: number): number {
  return lanes.left + (time / lanes.span) * lanes.width;
}
export function toTime(lanes: Lanes, x: number): number {
  return Math.max(0, Math.min(lanes.span, ((x - lanes.left) / lanes.width) * lanes.span));
}

/** Both ends of a long name: hosts differ in the first, clusters inside others in the last. */
function shortened(name: string): string {
  return name.length <= kNameLength ? name : `${name.slice(0, kNameLength / 2)}…${name.slice(1 - kNameLength / 2)}`;
}

/** Ranks, and labels of clusters: with the label of the cluster around them where two are alike. */
export function namesOf(scene: { machine: { leaves: { rank: number[] } } }, boxes: Box[]): string[] {
  const times = new Map<string, number>();
  for (const box of boxes) if (!box.isLeaf) times.set(box.label, (times.get(box.label) ?? 0) + 1);
  return boxes.map((box) => {
    if (box.isLeaf) return String(scene.machine.leaves.rank[box.id]!);
    const around = box.parent !== null && box.parent.depth > 0 && times.get(box.label)! > 1 ? `${box.parent.label}/` : '';
    return shortened(`${around}${box.label}`);
  });
}

function middle(lanes: Lanes, scene: PreparedScene, row: number): number {
  return lanes.top + ((row + 0.5) * lanes.height) / scene.layout.rows.length;
}

function drawAxis(pen: Pen, scene: PreparedScene, lanes: Lanes): void {
  const { palette } = scene;
  const step = axisStep(lanes.span, Math.max(2, lanes.width / 110));
  for (let i = 0; i * step <= lanes.span * 1.0001; i++) {
    const x = toX(lanes, i * step);
    pen.line([x, lanes.top, x, lanes.top + lanes.height], { stroke: palette.line, width: 1 });
    pen.text(x, lanes.top + lanes.height + 14, inWords(i * step), { size: 10.5, fill: palette.faint, anchor: 'middle' });
  }
}

function drawLanes(pen: Pen, scene: PreparedScene, lanes: Lanes): void {
  const { palette, layout } = scene;
  const timeline = scene.shown.timeline!;
  const rowHeight = lanes.height / layout.rows.length;
  const base: number[] = [];
  const names = rowHeight >= kReadable ? namesOf(scene, layout.rows) : [];
  layout.rows.forEach((box, row) => {
    const y = middle(lanes, scene, row);
    let last = 0;
    for (let leaf = box.firstLeaf; leaf < box.firstLeaf + box.leaves; leaf++) {
      const finish = timeline.rankFinish[scene.machine.leaves.rank[leaf]!]!;
      last = Math.max(last, Number.isNaN(finish) ? lanes.span : finish);
    }
    base.push(lanes.left, y, toX(lanes, last), y);
    if (rowHeight >= kReadable) {
      pen.text(lanes.left - 8, y + 3.5, names[row]!, {
        size: Math.min(11, rowHeight * 0.95),
        fill: palette.soft,
        anchor: 'end',
      });
    }
  });
  if (rowHeight < kReadable) {
    const named = groups(scene, rowHeight);
    const words = namesOf(scene, named);
    for (const [i, box] of named.entries()) {
      const y0 = lanes.top + layout.rowOfLeaf[box.firstLeaf]! * rowHeight;
      const y1 = y0 + rowsOf(scene, box) * rowHeight;
      pen.line([lanes.left - 6, y0 + 2, lanes.left - 6, y1 - 2], { stroke: palette.faint, width: 1.5, alpha: 0.6 });
      pen.text(lanes.left - 12, (y0 + y1) / 2 + 3.5, words[i]!, { size: 10.5, fill: palette.soft, anchor: 'end' });
    }
  }
  if (rowHeight >= 3) pen.segments(base, { stroke: palette.faint, width: 1, alpha: rowHeight < kReadable ? 0.18 : 0.35 });
}

/** Where processors are busy: sending and receiving in the colour of the level, other work apart. */
function drawWork(pen: Pen, scene: PreparedScene, lanes: Lanes): void {
  const { palette, rowOfRank } = scene;
  const timeline = scene.shown.timeline!;
  const rowHeight = lanes.height / scene.layout.rows.length;
  const width = Math.max(1, Math.min(6, rowHeight * 0.55));
  const lists = new Map<number, number[]>();
  const add = (level: number, rank: number, begin: number, end: number) => {
    if (!(end > begin)) return;
    const y = middle(lanes, scene, rowOfRank[rank]!);
    const list = lists.get(level) ?? [];
    lists.set(level, list);
    list.push(toX(lanes, begin), y, toX(lanes, end), y);
  };
  for (let m = 0; m < timeline.count; m++) {
    // A rendezvous keeps its sender until delivery, not its processor: only short sends are work.
    if (timeline.sent[m]! <= timeline.flows[m]!) add(timeline.level[m]!, timeline.from[m]!, timeline.leaves[m]!, timeline.sent[m]!);
    add(timeline.level[m]!, timeline.to[m]!, timeline.taken[m]!, timeline.received[m]!);
  }
  for (const [level, list] of lists) pen.segments(list, { stroke: levelColour(palette, level), width, alpha: 0.8 });
  lists.clear();
  for (let s = 0; s < timeline.stepRank.length; s++) add(0, timeline.stepRank[s]!, timeline.stepBegin[s]!, timeline.stepEnd[s]!);
  for (const list of lists.values()) pen.segments(list, { stroke: palette.work, width, alpha: 0.85 });
}

function drawMessages(pen: Pen, scene: PreparedScene, lanes: Lanes): void {
  const { palette, rowOfRank } = scene;
  const timeline = scene.shown.timeline!;
  const lists = new Map<number, number[]>();
  for (let m = 0; m < timeline.count; m++) {
    const a = rowOfRank[timeline.from[m]!]!;
    const b = rowOfRank[timeline.to[m]!]!;
    const end = timeline.arrives[m]!;
    if (a === b || Number.isNaN(end)) continue;
    const level = timeline.level[m]!;
    const list = lists.get(level) ?? [];
    lists.set(level, list);
    list.push(toX(lanes, timeline.leaves[m]!), middle(lanes, scene, a), toX(lanes, end), middle(lanes, scene, b));
  }
  const n = timeline.count;
  for (const level of [...lists.keys()].sort((a, b) => b - a)) {
    pen.segments(lists.get(level)!, {
      stroke: levelColour(palette, level),
      width: n > 1500 ? 0.7 : n > 300 ? 1 : 1.3,
      alpha: n > 8000 ? 0.08 : n > 1500 ? 0.16 : n > 300 ? 0.45 : 0.7,
    });
  }
}

function drawPath(pen: Pen, scene: PreparedScene, lanes: Lanes): void {
  const { palette, rowOfRank } = scene;
  const points: number[] = [];
  for (const step of scene.shown.timeline!.path) {
    const y = middle(lanes, scene, rowOfRank[step.rank]!);
    if (step.kind !== 'transfer' || step.peer === null) {
      points.push(toX(lanes, step.begin), y, toX(lanes, step.end), y);
      continue;
    }
    // The message may have left long before: then only the last part of its line decides.
    const to = middle(lanes, scene, rowOfRank[step.peer]!);
    const left = step.left;
    const from = left < step.begin && step.end > left ? y + ((to - y) * (step.begin - left)) / (step.end - left) : y;
    points.push(toX(lanes, step.begin), from, toX(lanes, step.end), to);
  }
  if (points.length === 0) return;
  pen.line(points, { stroke: palette.ground, width: 5.5, alpha: 0.85 });
  pen.line(points, { stroke: palette.critical, width: 2.6 });
}

function drawMark(pen: Pen, lanes: Lanes, time: number, words: string, colour: string, dash: number[] | null): void {
  const x = toX(lanes, time);
  pen.line([x, lanes.top - 4, x, lanes.top + lanes.height], dash === null ? { stroke: colour, width: 1.4 } : { stroke: colour, width: 1.4, dash });
  const anchor = x > lanes.left + lanes.width - 60 ? 'end' : x < lanes.left + 60 ? 'start' : 'middle';
  pen.text(x, lanes.top - 8, words, { size: 10.5, fill: colour, anchor, weight: 600 });
}

/** The simulation behind what was measured: dashed, without colours, and its finish as a line. */
function drawSimulated(pen: Pen, scene: PreparedScene, lanes: Lanes): void {
  const { palette, rowOfRank } = scene;
  const simulated = scene.shown.simulated;
  if (simulated === null) return;
  const points: number[] = [];
  for (let m = 0; m < simulated.count; m++) {
    const a = rowOfRank[simulated.from[m]!]!;
    const b = rowOfRank[simulated.to[m]!]!;
    const end = simulated.received[m]!;
    if (a !== b && !Number.isNaN(end)) points.push(toX(lanes, simulated.leaves[m]!), middle(lanes, scene, a), toX(lanes, end), middle(lanes, scene, b));
  }
  const n = simulated.count;
  pen.segments(points, { stroke: palette.soft, width: n > 300 ? 0.7 : 1.1, alpha: n > 1500 ? 0.12 : n > 300 ? 0.3 : 0.75, dash: [3, 3] });
  drawMark(pen, lanes, simulated.finish, `simulated ${inWords(simulated.finish)}`, palette.bound, [6, 3]);
}

/** The message that took longest beyond its simulation. */
function drawLargest(pen: Pen, scene: PreparedScene, lanes: Lanes): void {
  const { palette, rowOfRank, shown } = scene;
  const largest = shown.doc.measured?.largest ?? null;
  const timeline = shown.timeline!;
  if (largest === null) return;
  const m = largest.message;
  const y = [timeline.from[m]!, timeline.to[m]!].map((rank) => middle(lanes, scene, rowOfRank[rank]!));
  const points = [toX(lanes, timeline.leaves[m]!), y[0]!, toX(lanes, timeline.arrives[m]!), y[1]!];
  pen.line(points, { stroke: palette.ground, width: 5.5, alpha: 0.85 });
  pen.line(points, { stroke: palette.critical, width: 2.6 });
}

/** All that stands still. */
export function drawTimeline(pen: Pen, scene: PreparedScene, lanes: Lanes): void {
  const { palette } = scene;
  const timeline = scene.shown.timeline;
  if (timeline === null) return;
  drawAxis(pen, scene, lanes);
  drawLanes(pen, scene, lanes);
  drawSimulated(pen, scene, lanes);
  drawMessages(pen, scene, lanes);
  drawWork(pen, scene, lanes);
  drawPath(pen, scene, lanes);
  if (timeline.kind === 'measured') {
    drawLargest(pen, scene, lanes);
    const finish = `measured ${inWords(timeline.finish)}`;
    const behind = scene.shown.simulated;
    const isNear = behind !== null && Math.abs(toX(lanes, timeline.finish) - toX(lanes, behind.finish)) < 130;
    drawMark(pen, lanes, timeline.finish, isNear ? '' : finish, palette.soft, null);
    return;
  }
  const bound = scene.shown.doc.bound;
  const near = bound !== null && Math.abs(toX(lanes, bound.ps) - toX(lanes, timeline.finish)) < 150;
  if (bound !== null && bound.ps > 0) {
    drawMark(pen, lanes, bound.ps, near ? 'bound' : `bound ${inWords(bound.ps)}`, palette.bound, [4, 4]);
  }
  if (!(near && toX(lanes, timeline.finish) - toX(lanes, bound!.ps) < 64)) {
    drawMark(pen, lanes, timeline.finish, timeline.neverEnds ? 'never ends' : inWords(timeline.finish), palette.soft, null);
  } else {
    const x = toX(lanes, timeline.finish);
    pen.line([x, lanes.top - 4, x, lanes.top + lanes.height], { stroke: palette.soft, width: 1.4 });
  }
}

export function drawPlayhead(pen: Pen, scene: PreparedScene, lanes: Lanes, now: number): void {
  const x = toX(lanes, now);
  pen.line([x, lanes.top - 2, x, lanes.top + lanes.height + 2], { stroke: scene.palette.ink, width: 1.5 });
  pen.circle(x, lanes.top + lanes.height + 2, 4, { fill: scene.palette.ink });
}

/** The message whose line passes nearest to a point; -1 if none is near. */
export function messageAt(scene: PreparedScene, lanes: Lanes, x: number, y: number): number {
  const timeline = scene.shown.timeline;
  if (timeline === null) return -1;
  let best = 6;
  let found = -1;
  for (let m = 0; m < timeline.count; m++) {
    const x0 = toX(lanes, timeline.leaves[m]!);
    const x1 = toX(lanes, timeline.arrives[m]!);
    if (!(x >= x0 - 6 && x <= x1 + 6)) continue;
    const y0 = middle(lanes, scene, scene.rowOfRank[timeline.from[m]!]!);
    const y1 = middle(lanes, scene, scene.rowOfRank[timeline.to[m]!]!);
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const t = Math.max(0, Math.min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / (length * length)));
    const distance = Math.hypot(x - x0 - t * (x1 - x0), y - y0 - t * (y1 - y0));
    if (distance < best) {
      best = distance;
      found = m;
    }
  }
  return found;
}
