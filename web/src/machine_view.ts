// The machine with the tree over it, and messages that move.

import type { MachineDocument } from './documents';
import { boxAt, type Box, type Layout } from './layout';
import { levelColour, type Palette } from './palette';
import type { Pen } from './pen';
import type { Shown } from './timeline';

/** From the layout's coordinates to those of the drawing. */
export interface Placing {
  k: number;
  x: number;
  y: number;
}

export interface MachineScene {
  machine: MachineDocument;
  layout: Layout;
  shown: Shown;
  palette: Palette;
  leafOfRank: Uint32Array;
  root: number | null;
  selected: Box | null;
  marked: Box | null;
}

/** An edge between two boxes that are drawn; folded clusters join several of them. */
interface DrawnEdge {
  a: Box;
  b: Box;
  level: number;
  critical: boolean;
}

export interface PreparedScene extends MachineScene {
  drawn: DrawnEdge[];
  critical: Set<number>; // pairs of rows, from * 65536 + to
  rowOfRank: Int32Array;
}

export function prepare(scene: MachineScene): PreparedScene {
  const { layout, shown, leafOfRank } = scene;
  const rowOfRank = Int32Array.from(leafOfRank, (leaf) => layout.rowOfLeaf[leaf]!);
  const critical = new Set<number>();
  for (const step of shown.timeline?.path ?? []) {
    if (step.peer !== null && step.kind === 'transfer') critical.add(rowOfRank[step.rank]! * 65536 + rowOfRank[step.peer]!);
  }
  const found = new Map<number, DrawnEdge>();
  for (const edge of shown.edges) {
    const a = rowOfRank[edge.from]!;
    const b = rowOfRank[edge.to]!;
    if (a === b) continue;
    const key = a * 65536 + b;
    const known = found.get(key);
    if (known === undefined || edge.level < known.level) {
      found.set(key, { a: layout.rows[a]!, b: layout.rows[b]!, level: edge.level, critical: critical.has(key) });
    }
  }
  return { ...scene, drawn: [...found.values()], critical, rowOfRank };
}

function centre(box: Box, at: Placing): [number, number] {
  return [(box.x + box.w / 2) * at.k + at.x, (box.y + box.h / 2) * at.k + at.y];
}

/** The middle point of the bend from one box to another. Both directions bend to their own side. */
function bend(x0: number, y0: number, x1: number, y1: number): [number, number] {
  return [(x0 + x1) / 2 - (y1 - y0) * 0.13, (y0 + y1) / 2 + (x1 - x0) * 0.13];
}

function pushCurve(list: number[], a: Box, b: Box, at: Placing): void {
  const [x0, y0] = centre(a, at);
  const [x1, y1] = centre(b, at);
  const [cx, cy] = bend(x0, y0, x1, y1);
  list.push(x0, y0, cx, cy, x1, y1);
}

function drawCluster(pen: Pen, box: Box, scene: PreparedScene, at: Placing): void {
  const { palette } = scene;
  const [x, y, w, h] = [box.x * at.k + at.x, box.y * at.k + at.y, box.w * at.k, box.h * at.k];
  pen.rect(x, y, w, h, {
    fill: box.folded || box.depth % 2 === 1 ? palette.surface : palette.raised,
    stroke: palette.line,
    width: 1,
    radius: 9 * Math.min(1, at.k),
  });
  const size = Math.max(8, Math.min(13, 12 * at.k));
  if (box.folded) {
    // A line below stands for what is stacked behind.
    pen.line([x + 6 * at.k, y + h + 3 * at.k, x + w - 6 * at.k, y + h + 3 * at.k], { stroke: palette.line, width: 1.5 });
    return;
  }
  if (20 * at.k < 9) return;
  pen.text(x + 10 * at.k, y + 19 * at.k, box.label, { size, fill: palette.soft, weight: 600 });
  const uplink = scene.machine.clusters.uplink[box.id];
  if (uplink && w > 7 * (box.label.length + uplink.length) * at.k + 40) {
    pen.text(x + w - 10 * at.k, y + 19 * at.k, uplink, { size: size - 1, fill: palette.faint, anchor: 'end' });
  }
}

function drawProcess(pen: Pen, box: Box, scene: PreparedScene, at: Placing): void {
  const { palette } = scene;
  const [x, y, w, h] = [box.x * at.k + at.x, box.y * at.k + at.y, box.w * at.k, box.h * at.k];
  const rank = scene.machine.leaves.rank[box.id]!;
  const isRoot = rank === scene.root;
  pen.rect(x, y, w, h, { fill: isRoot ? palette.ink : palette.process, radius: 6 * at.k });
}

/** Above the tree, so that they can be read. */
function drawRank(pen: Pen, box: Box, scene: PreparedScene, at: Placing): void {
  const { palette } = scene;
  const w = box.w * at.k;
  if (w < 15) return;
  const rank = scene.machine.leaves.rank[box.id]!;
  const isRoot = rank === scene.root;
  const size = Math.min(11.5, w * 0.42);
  const [x, y] = centre(box, at);
  pen.text(x, y + size * 0.36, String(rank), {
    size,
    fill: isRoot ? palette.ground : palette.ink,
    anchor: 'middle',
    weight: isRoot ? 700 : 500,
    halo: isRoot ? palette.ink : palette.process,
  });
}

/** The name and the number of processes of a folded cluster. */
function drawFolded(pen: Pen, box: Box, scene: PreparedScene, at: Placing): void {
  const { palette } = scene;
  const [x, y] = centre(box, at);
  const [w, h] = [box.w * at.k, box.h * at.k];
  const size = Math.min(12, 0.34 * h, w / (0.62 * box.label.length + 1));
  if (size < 6.5) return;
  const both = h > 2.6 * size;
  pen.text(x, y + (both ? -0.1 : 0.36) * size, box.label, { size, fill: palette.ink, anchor: 'middle', weight: 600, halo: palette.surface });
  if (both) pen.text(x, y + 1.05 * size, `${box.leaves} processes`.slice(0, w > 90 ? 40 : -10), { size: size * 0.9, fill: palette.soft, anchor: 'middle', halo: palette.surface });
}

function ring(pen: Pen, box: Box, at: Placing, stroke: string): void {
  pen.rect(box.x * at.k + at.x - 3, box.y * at.k + at.y - 3, box.w * at.k + 6, box.h * at.k + 6, { stroke, width: 2, radius: 8 });
}

/** A process on its way to another place. @param x, y where the pointer is */
export function drawDragged(pen: Pen, scene: PreparedScene, at: Placing, { box, over, x, y }: { box: Box; over: Box | null; x: number; y: number }): void {
  const { palette } = scene;
  ring(pen, box, at, palette.critical);
  if (over !== null) ring(pen, over, at, palette.focus);
  const side = Math.max(14, box.w * at.k);
  pen.rect(x - side / 2, y - side / 2, side, side, { fill: palette.process, stroke: palette.critical, width: 1.5, radius: 6 * at.k, alpha: 0.85 });
  const size = Math.min(11.5, side * 0.42);
  pen.text(x, y + size * 0.36, String(scene.machine.leaves.rank[box.id]!), { size, fill: palette.ink, anchor: 'middle', weight: 600 });
}

/** All that stands still. */
export function drawMachine(pen: Pen, scene: PreparedScene, at: Placing): void {
  const { palette, layout } = scene;
  for (const box of layout.boxes) {
    if (box === layout.root) continue;
    if (box.isLeaf) drawProcess(pen, box, scene, at);
    else drawCluster(pen, box, scene, at);
  }
  drawTree(pen, scene, at);
  for (const box of layout.rows) (box.isLeaf ? drawRank : drawFolded)(pen, box, scene, at);
  if (scene.marked !== null) ring(pen, scene.marked, at, palette.critical);
  if (scene.selected !== null) ring(pen, scene.selected, at, palette.focus);
}

function drawTree(pen: Pen, scene: PreparedScene, at: Placing): void {
  const { palette, drawn } = scene;
  const many = drawn.length > 400;
  const byLevel = new Map<number, number[]>();
  const critical: number[] = [];
  for (const edge of drawn) {
    const list = edge.critical ? critical : (byLevel.get(edge.level) ?? []);
    if (!edge.critical) byLevel.set(edge.level, list);
    pushCurve(list, edge.a, edge.b, at);
  }
  const deepestFirst = [...byLevel.keys()].sort((a, b) => b - a);
  for (const level of deepestFirst) {
    pen.curves(byLevel.get(level)!, {
      stroke: levelColour(palette, level),
      width: many ? 0.8 : 1.4,
      alpha: drawn.length > 1200 ? 0.1 : many ? 0.22 : drawn.length > 120 ? 0.4 : 0.6,
    });
  }
  pen.curves(critical, { stroke: palette.ground, width: 6, alpha: 0.85 });
  pen.curves(critical, { stroke: palette.critical, width: 3 });
  const arrows: number[] = [];
  const targets = drawn.filter((edge) => edge.critical).map((edge) => edge.b);
  targets.forEach((box, i) => arrows.push(...arrowHead(critical, 6 * i, (Math.min(box.w, box.h) / 2) * at.k)));
  pen.segments(arrows, { stroke: palette.critical, width: 3 });
}

/** Two short lines that meet where the curve enters the box of this radius. */
function arrowHead(curve: number[], i: number, radius: number): number[] {
  const whole = Math.hypot(curve[i + 4]! - curve[i]!, curve[i + 5]! - curve[i + 1]!) || 1;
  const t = Math.max(0.55, 1 - (radius + 2) / whole);
  const [x, y] = onCurve(curve[i]!, curve[i + 1]!, curve[i + 2]!, curve[i + 3]!, curve[i + 4]!, curve[i + 5]!, t);
  const [bx, by] = onCurve(curve[i]!, curve[i + 1]!, curve[i + 2]!, curve[i + 3]!, curve[i + 4]!, curve[i + 5]!, t - 0.04);
  const length = Math.hypot(x - bx, y - by) || 1;
  const [ux, uy] = [((x - bx) / length) * 6, ((y - by) / length) * 6];
  return [x, y, x - ux + uy * 0.7, y - uy - ux * 0.7, x, y, x - ux - uy * 0.7, y - uy + ux * 0.7];
}

function onCurve(x0: number, y0: number, cx: number, cy: number, x1: number, y1: number, t: number): [number, number] {
  const s = 1 - t;
  return [s * s * x0 + 2 * s * t * cx + t * t * x1, s * s * y0 + 2 * s * t * cy + t * t * y1];
}

const kMostMoving = 4000;

/** What happens at a time: ranks that are done, links that are busy, messages on their way. */
export function drawMoment(pen: Pen, scene: PreparedScene, at: Placing, now: number): void {
  const { shown, palette, layout, rowOfRank, leafOfRank } = scene;
  const timeline = shown.timeline;
  if (timeline === null || now <= 0) return;
  drawDone(pen, scene, at, now);
  const glow = new Map<string, number[]>();
  const dots = new Map<number, number[]>();
  const crossed = new Map<Box, number>();
  let moving = 0;
  for (const m of timeline.active.at(now)) {
    const begin = timeline.leaves[m]!;
    const end = timeline.arrives[m]!;
    if (!(begin <= now && now < end)) continue;
    const a = layout.rows[rowOfRank[timeline.from[m]!]!]!;
    const b = layout.rows[rowOfRank[timeline.to[m]!]!]!;
    noteCrossed(crossed, layout, leafOfRank[timeline.from[m]!]!, leafOfRank[timeline.to[m]!]!, a, b);
    if (a === b || ++moving > kMostMoving) continue;
    const level = timeline.level[m]!;
    const isCritical = scene.critical.has(rowOfRank[timeline.from[m]!]! * 65536 + rowOfRank[timeline.to[m]!]!);
    const colour = isCritical ? palette.critical : levelColour(palette, level);
    if (!glow.has(colour)) glow.set(colour, []);
    if (!dots.has(level)) dots.set(level, []);
    const curve: number[] = [];
    pushCurve(curve, a, b, at);
    const list = glow.get(colour)!;
    for (const value of curve) list.push(value);
    const [x, y] = onCurve(curve[0]!, curve[1]!, curve[2]!, curve[3]!, curve[4]!, curve[5]!, (now - begin) / (end - begin));
    dots.get(level)!.push(x, y, Math.max(2.2, Math.min(6, 1.2 + Math.log2(timeline.bytes[m]! + 1) * 0.22)) * Math.min(1.2, Math.max(0.7, at.k)));
  }
  for (const [box, count] of crossed) {
    pen.rect(box.x * at.k + at.x, box.y * at.k + at.y, box.w * at.k, box.h * at.k, {
      stroke: levelColour(palette, box.depth - 1),
      width: 1.5 + Math.min(2, Math.log2(count) / 2),
      radius: 9 * Math.min(1, at.k),
      alpha: 0.6,
    });
  }
  const few = moving < 300;
  for (const [stroke, list] of glow) {
    if (few) pen.curves(list, { stroke, width: 7, alpha: 0.18 });
    pen.curves(list, { stroke, width: few ? 2.4 : 1, alpha: few ? 0.75 : 0.5 });
  }
  for (const [level, list] of dots) pen.discs(list, levelColour(palette, level));
}

/** Clusters whose uplink the message passes: those of one end but not of the other. */
function noteCrossed(crossed: Map<Box, number>, layout: Layout, from: number, to: number, a: Box, b: Box): void {
  const climb = (box: Box, other: number) => {
    for (let one: Box | null = box.isLeaf ? box.parent : box; one !== null && one !== layout.root; one = one.parent) {
      if (other >= one.firstLeaf && other < one.firstLeaf + one.leaves) return;
      crossed.set(one, (crossed.get(one) ?? 0) + 1);
    }
  };
  climb(a, to);
  climb(b, from);
}

function drawDone(pen: Pen, scene: PreparedScene, at: Placing, now: number): void {
  const { layout, palette, machine } = scene;
  const timeline = scene.shown.timeline!;
  for (const box of layout.rows) {
    let done = 0;
    for (let leaf = box.firstLeaf; leaf < box.firstLeaf + box.leaves; leaf++) {
      if (timeline.rankFinish[machine.leaves.rank[leaf]!]! <= now) done += 1;
    }
    if (done === 0) continue;
    const [x, y, w, h] = [box.x * at.k + at.x, box.y * at.k + at.y, box.w * at.k, box.h * at.k];
    const bar = Math.max(2, Math.min(4, 4 * at.k));
    pen.rect(x + 3 * at.k, y + h - bar - 2 * at.k, ((w - 6 * at.k) * done) / box.leaves, bar, { fill: palette.done, radius: 2 });
  }
}

export function hit(scene: PreparedScene, at: Placing, x: number, y: number): Box | null {
  return boxAt(scene.layout, (x - at.x) / at.k, (y - at.y) / at.k);
}

/** The transform that shows all of the machine in a drawing of this size. */
export function fit(layout: Layout, width: number, height: number, margin = 14): Placing {
  const { w, h } = layout.root;
  const k = Math.min((width - 2 * margin) / w, (height - 2 * margin) / h, 2);
  return { k, x: (width - w * k) / 2, y: (height - h * k) / 2 };
}
