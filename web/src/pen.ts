// Drawing on a canvas and into an SVG by the same calls.

export interface Stroke {
  stroke: string;
  width: number;
  alpha?: number;
  dash?: number[];
}
export interface Fill {
  fill?: string;
  stroke?: string;
  width?: number;
  radius?: number;
  alpha?: number;
}
export interface Words {
  size: number;
  fill: string;
  anchor?: 'start' | 'middle' | 'end';
  weight?: number;
  halo?: string; // around the letters, where lines pass behind them
}
export const kFont = 'Inter, "Source Sans 3", system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';

export interface Pen {
  rect(x: number, y: number, w: number, h: number, style: Fill): void;
  circle(x: number, y: number, r: number, style: Fill): void;
  /** Points as x, y, x, y. */
  line(points: number[], style: Stroke): void;
  /** Separate segments as x0, y0, x1, y1, ... of one colour. */
  segments(points: number[], style: Stroke): void;
  /** Separate quadratic curves as x0, y0, cx, cy, x1, y1, ... of one colour. */
  curves(points: number[], style: Stroke): void;
  /** Discs of one colour as x, y, r, ... */
  discs(points: number[], fill: string, alpha?: number): void;
  text(x: number, y: number, words: string, style: Words): void;
}

export class CanvasPen implements Pen {
  constructor(private readonly ctx: CanvasRenderingContext2D) {}

  rect(x: number, y: number, w: number, h: number, style: Fill): void {
    const { ctx } = this;
    ctx.globalAlpha = style.alpha ?? 1;
    ctx.beginPath();
    ctx.roundRect(x, y, Math.max(0, w), Math.max(0, h), Math.min(style.radius ?? 0, w / 2, h / 2));
    this.paint(style);
  }
  circle(x: number, y: number, r: number, style: Fill): void {
    const { ctx } = this;
    ctx.globalAlpha = style.alpha ?? 1;
    ctx.beginPath();
    ctx.arc(x, y, r, 0, 2 * Math.PI);
    this.paint(style);
  }
  line(points: number[], style: Stroke): void {
    this.begin(style);
    for (let i = 0; i + 1 < points.length; i += 2) {
      if (i === 0) this.ctx.moveTo(points[0]!, points[1]!);
      else this.ctx.lineTo(points[i]!, points[i + 1]!);
    }
    this.end();
  }
  segments(points: number[], style: Stroke): void {
    this.begin(style);
    for (let i = 0; i + 3 < points.length; i += 4) {
      this.ctx.moveTo(points[i]!, points[i + 1]!);
      this.ctx.lineTo(points[i + 2]!, points[i + 3]!);
    }
    this.end();
  }
  curves(points: number[], style: Stroke): void {
    this.begin(style);
    for (let i = 0; i + 5 < points.length; i += 6) {
      this.ctx.moveTo(points[i]!, points[i + 1]!);
      this.ctx.quadraticCurveTo(points[i + 2]!, points[i + 3]!, points[i + 4]!, points[i + 5]!);
    }
    this.end();
  }
  discs(points: number[], fill: string, alpha = 1): void {
    const { ctx } = this;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = fill;
    ctx.beginPath();
    for (let i = 0; i + 2 < points.length; i += 3) {
      ctx.moveTo(points[i]! + points[i + 2]!, points[i + 1]!);
      ctx.arc(points[i]!, points[i + 1]!, points[i + 2]!, 0, 2 * Math.PI);
    }
    ctx.fill();
    ctx.globalAlpha = 1;
  }
  text(x: number, y: number, words: string, style: Words): void {
    const { ctx } = this;
    ctx.globalAlpha = 1;
    ctx.font = `${style.weight ?? 400} ${style.size}px ${kFont}`;
    ctx.textAlign = style.anchor === 'middle' ? 'center' : (style.anchor ?? 'start');
    ctx.textBaseline = 'alphabetic';
    if (style.halo !== undefined) {
      ctx.strokeStyle = style.halo;
      ctx.lineWidth = 3;
      ctx.lineJoin = 'round';
      ctx.strokeText(words, x, y);
    }
    ctx.fillStyle = style.fill;
    ctx.fillText(words, x, y);
  }

  private begin(style: Stroke): void {
    const { ctx } = this;
    ctx.globalAlpha = style.alpha ?? 1;
    ctx.strokeStyle = style.stroke;
    ctx.lineWidth = style.width;
    ctx.lineCap = 'round';
    ctx.lineJoin = 'round';
    ctx.setLineDash(style.dash ?? []);
    ctx.beginPath();
  }
  private end(): void {
    this.ctx.stroke();
    this.ctx.setLineDash([]);
    this.ctx.globalAlpha = 1;
  }
  private paint(style: Fill): void {
    const { ctx } = this;
    if (style.fill !== undefined) {
      ctx.fillStyle = style.fill;
      ctx.fill();
    }
    if (style.stroke !== undefined) {
      ctx.strokeStyle = style.stroke;
      ctx.lineWidth = style.width ?? 1;
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

export class SvgPen implements Pen {
  private readonly parts: string[] = [];
  constructor(private readonly width: number, private readonly height: number) {}

  document(): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(this.width)}" height="${n(this.height)}" ` +
      `viewBox="0 0 ${n(this.width)} ${n(this.height)}" font-family="${escape(kFont)}">\n${this.parts.join('\n')}\n</svg>\n`
    );
  }
  rect(x: number, y: number, w: number, h: number, style: Fill): void {
    const rx = Math.min(style.radius ?? 0, w / 2, h / 2);
    this.parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, w))}" height="${n(Math.max(0, h))}" rx="${n(rx)}"${this.fill(style)}/>`);
  }
  circle(x: number, y: number, r: number, style: Fill): void {
    this.parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}"${this.fill(style)}/>`);
  }
  line(points: number[], style: Stroke): void {
    const pairs = [];
    for (let i = 0; i + 1 < points.length; i += 2) pairs.push(`${n(points[i]!)},${n(points[i + 1]!)}`);
    this.parts.push(`<polyline points="${pairs.join(' ')}"${this.stroke(style)}/>`);
  }
  segments(points: number[], style: Stroke): void {
    const parts = [];
    for (let i = 0; i + 3 < points.length; i += 4) {
      parts.push(`M${n(points[i]!)} ${n(points[i + 1]!)}L${n(points[i + 2]!)} ${n(points[i + 3]!)}`);
    }
    if (parts.length > 0) this.parts.push(`<path d="${parts.join('')}"${this.stroke(style)}/>`);
  }
  curves(points: number[], style: Stroke): void {
    const parts = [];
    for (let i = 0; i + 5 < points.length; i += 6) {
      const [x0, y0, cx, cy, x1, y1] = points.slice(i, i + 6).map(n);
      parts.push(`M${x0} ${y0}Q${cx} ${cy} ${x1} ${y1}`);
    }
    if (parts.length > 0) this.parts.push(`<path d="${parts.join('')}"${this.stroke(style)}/>`);
  }
  discs(points: number[], fill: string, alpha = 1): void {
    for (let i = 0; i + 2 < points.length; i += 3) {
      this.circle(points[i]!, points[i + 1]!, points[i + 2]!, { fill, alpha });
    }
  }
  text(x: number, y: number, words: string, style: Words): void {
    const anchor = style.anchor === undefined || style.anchor === 'start' ? '' : ` text-anchor="${style.anchor}"`;
    const weight = style.weight === undefined ? '' : ` font-weight="${style.weight}"`;
    const halo = style.halo === undefined ? '' : ` stroke="${style.halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`;
    this.parts.push(`<text x="${n(x)}" y="${n(y)}" font-size="${n(style.size)}" fill="${style.fill}"${anchor}${weight}${halo}>${escape(words)}</text>`);
  }

  private fill(style: Fill): string {
    const edge = style.stroke === undefined ? '' : ` stroke="${style.stroke}" stroke-width="${n(style.width ?? 1)}"`;
    const alpha = style.alpha === undefined || style.alpha === 1 ? '' : ` opacity="${n(style.alpha)}"`;
    return ` fill="${style.fill ?? 'none'}"${edge}${alpha}`;
  }
  private stroke(style: Stroke): string {
    const dash = style.dash === undefined ? '' : ` stroke-dasharray="${style.dash.join(' ')}"`;
    const alpha = style.alpha === undefined || style.alpha === 1 ? '' : ` opacity="${n(style.alpha)}"`;
    return ` fill="none" stroke="${style.stroke}" stroke-width="${n(style.width)}" stroke-linecap="round" stroke-linejoin="round"${dash}${alpha}`;
  }
}
