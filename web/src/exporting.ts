// The drawing as a file.

import type { Pane } from './pane';
import type { Palette } from './palette';
import { CanvasPen, SvgPen, type Pen } from './pen';

export interface Exported {
  panes: Pane[];
  titles: string[];
  palette: Palette;
  now: number;
}

const kWidth = 900;
const kMachine = 440;
const kLanes = 320;
const kTitle = 46;
const kMargin = 24;

function drawAll(pen: Pen, what: Exported): void {
  const { palette } = what;
  const width = what.panes.length * kWidth;
  pen.rect(0, 0, width, kTitle + kMachine + kLanes + kMargin, { fill: palette.ground });
  what.panes.forEach((pane, i) => {
    pen.text(i * kWidth + kMargin, 32, what.titles[i]!, { size: 15, fill: palette.ink, weight: 600 });
    pane.drawWhole(pen, i * kWidth + kMargin, kTitle, kWidth - 2 * kMargin, kMachine, kLanes, what.now);
  });
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveSvg(what: Exported, name: string): void {
  const pen = new SvgPen(what.panes.length * kWidth, kTitle + kMachine + kLanes + kMargin);
  drawAll(pen, what);
  save(new Blob([pen.document()], { type: 'image/svg+xml' }), `${name}.svg`);
}

export function savePng(what: Exported, name: string): void {
  const canvas = document.createElement('canvas');
  canvas.width = 2 * what.panes.length * kWidth;
  canvas.height = 2 * (kTitle + kMachine + kLanes + kMargin);
  const ctx = canvas.getContext('2d')!;
  ctx.scale(2, 2);
  drawAll(new CanvasPen(ctx), what);
  canvas.toBlob((blob) => {
    if (blob !== null) save(blob, `${name}.png`);
  }, 'image/png');
}
