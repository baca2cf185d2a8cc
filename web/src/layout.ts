// The machine as nested boxes, some of them folded.

import { hierarchy } from 'd3-hierarchy';
import type { MachineDocument } from './documents';

/** A cluster or a process. */
export interface Box {
  isLeaf: boolean;
  id: number; // cluster or leaf
  label: string;
  depth: number;
  firstLeaf: number;
  leaves: number;
  folded: boolean;
  x: number;
  y: number;
  w: number;
  h: number;
  parent: Box | null;
  members: Box[];
}

export interface Layout {
  root: Box;
  /** What is drawn, outer boxes first. */
  boxes: Box[];
  /** Innermost boxes that are drawn, from the left: processes and folded clusters. */
  rows: Box[];
  /** [leaf] the row that stands for it. */
  rowOfLeaf: Int32Array;
}

const kCell = 26;
const kGap = 5;
const kPad = 10;
const kHead = 20;

/** The tree of boxes of a machine; nothing is placed yet. */
export function makeTree(machine: MachineDocument): Box {
  const { clusters, leaves } = machine;
  const boxes = clusters.parent.map((_, id): Box => {
    const depth = clusters.depth[id]!;
    const level = machine.levels[depth - 1];
    const kind = depth === 0 || level === undefined ? '' : level.members;
    return {
      isLeaf: false,
      id,
      label: clusters.name[id] || kind,
      depth,
      firstLeaf: clusters.first_leaf[id]!,
      leaves: clusters.leaves[id]!,
      folded: false,
      x: 0,
      y: 0,
      w: 0,
      h: 0,
      parent: null,
      members: [],
    };
  });
  boxes.forEach((box, id) => {
    if (id === 0) return;
    box.parent = boxes[clusters.parent[id]!]!;
    box.parent.members.push(box);
  });
  leaves.cluster.forEach((cluster, leaf) => {
    const parent = boxes[cluster]!;
    parent.members.push({
      isLeaf: true,
      id: leaf,
      label: leaves.name[leaf] ?? '',
      depth: parent.depth + 1,
      firstLeaf: leaf,
      leaves: 1,
      folded: false,
      x: 0,
      y: 0,
      w: 0,
      h: 0,
      parent,
      members: [],
    });
  });
  // Names of members without one: their number within the cluster.
  for (const box of boxes) {
    box.members.sort((a, b) => a.firstLeaf - b.firstLeaf);
    const clustersInside = box.members.filter((one) => !one.isLeaf);
    clustersInside.forEach((one, i) => {
      if (!clusters.name[one.id]) one.label = `${one.label} ${i}`.trim();
    });
  }
  return boxes[0]!;
}

/** Unfolds all, and returns all boxes. */
export function unfold(root: Box): Box[] {
  const all = hierarchy(root, (box) => box.members).descendants().map((node) => node.data);
  for (const box of all) box.folded = false;
  return all;
}

/** Folds the innermost clusters, and then those around them, until few boxes are left. */
export function foldLarge(root: Box, most: number): void {
  const all = unfold(root);
  const deepest = Math.max(...all.filter((box) => !box.isLeaf).map((box) => box.depth));
  for (let depth = deepest; depth > 0; depth--) {
    const rows = hierarchy(root, (box) => (box.folded ? null : box.members)).leaves().length;
    if (rows <= most) return;
    for (const box of all) if (!box.isLeaf && box.depth === depth) box.folded = true;
  }
}

interface Packed {
  w: number;
  h: number;
}

/** Places members row by row, with as many in a row as comes nearest to the wanted shape. */
function pack(members: Box[], gap: number, aspect: number): Packed {
  let best: { score: number; columns: number } | null = null;
  const limit = Math.min(members.length, 64);
  const size = (columns: number, place: boolean): Packed => {
    let y = 0;
    let w = 0;
    for (let i = 0; i < members.length; i += columns) {
      let x = 0;
      let h = 0;
      for (const one of members.slice(i, i + columns)) {
        if (place) {
          one.x = x;
          one.y = y;
        }
        x += one.w + gap;
        h = Math.max(h, one.h);
      }
      w = Math.max(w, x - gap);
      y += h + gap;
    }
    return { w, h: y - gap };
  };
  for (let columns = 1; columns <= limit; columns++) {
    const { w, h } = size(columns, false);
    const empty = (columns - (members.length % columns)) % columns;
    const score = Math.abs(Math.log(w / h / aspect)) + (1.5 * empty) / members.length;
    if (best === null || score < best.score) best = { score, columns };
  }
  return size(best?.columns ?? 1, true);
}

/** Where everything stands, for a drawing of this shape (width by height). */
export function place(root: Box, aspect: number): Layout {
  const tree = hierarchy(root, (box) => (box.folded ? null : box.members));
  tree.eachAfter(({ data: box }) => {
    if (box.isLeaf) {
      box.w = kCell;
      box.h = kCell;
    } else if (box.folded) {
      box.w = Math.max(52, 6.4 * box.label.length + 12);
      box.h = 34;
    } else {
      const inner = box.members.every((one) => one.isLeaf);
      const shape = box.depth === 0 ? aspect : inner ? 1.5 : Math.max(0.7, Math.min(1.6, aspect));
      const gap = inner ? kGap : box.depth === 0 ? 28 : kPad;
      const { w, h } = pack(box.members, gap, shape);
      const pad = box.depth === 0 ? 0 : kPad;
      const head = box.depth === 0 ? 0 : kHead;
      for (const one of box.members) {
        one.x += pad;
        one.y += pad + head;
      }
      box.w = Math.max(w + 2 * pad, box.depth === 0 ? 0 : 7 * box.label.length + 2 * pad);
      box.h = h + 2 * pad + head;
    }
  });
  const boxes: Box[] = [];
  const rows: Box[] = [];
  tree.eachBefore(({ data: box, parent }) => {
    if (parent) {
      box.x += parent.data.x;
      box.y += parent.data.y;
    }
    boxes.push(box);
  });
  tree.eachAfter(({ data: box }) => {
    if (box.isLeaf || box.folded) rows.push(box);
  });
  rows.sort((a, b) => a.firstLeaf - b.firstLeaf);
  const rowOfLeaf = new Int32Array(root.leaves);
  rows.forEach((row, i) => rowOfLeaf.fill(i, row.firstLeaf, row.firstLeaf + row.leaves));
  return { root, boxes, rows, rowOfLeaf };
}

/** The innermost box at a point. */
export function boxAt(layout: Layout, x: number, y: number): Box | null {
  let found: Box | null = null;
  for (const box of layout.boxes) {
    if (box !== layout.root && x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h) found = box;
  }
  return found;
}
