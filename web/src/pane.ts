// One plan: the machine above, the timeline below. Still parts are drawn when they change, moving parts every frame.

import { select } from 'd3-selection';
import { zoom, zoomIdentity, type ZoomTransform } from 'd3-zoom';
import { bytes, count, time as inWords } from './format';
import { place, type Box } from './layout';
import { drawDragged, drawMachine, drawMoment, fit, hit, prepare, type MachineScene, type Placing, type PreparedScene } from './machine_view';
import { drawPlayhead, drawTimeline, lanesIn, messageAt, toTime, type Lanes } from './lanes_view';
import { CanvasPen, type Pen } from './pen';

export interface PaneEvents {
  choose(box: Box, withShift: boolean): void;
  fold(box: Box): void;
  unfoldAll(): void;
  mark(box: Box): void;
  /** A process was dragged onto another: they change places. */
  swap(a: Box, b: Box): void;
  move(box: Box | null): void; // of the selection
  seek(time: number): void;
  tip(words: string | null, x: number, y: number): void;
  close(): void;
}

/** A process that is pressed, and dragged once the pointer has gone some way. */
interface Dragged {
  box: Box;
  over: Box | null; // the process that it would change places with
  isMoving: boolean;
  fromX: number;
  fromY: number;
  x: number;
  y: number;
}
const kDragDistance = 5;

class Sheet {
  readonly canvas = document.createElement('canvas');
  readonly pen: Pen;
  private readonly ctx: CanvasRenderingContext2D;
  constructor(parent: HTMLElement) {
    this.canvas.setAttribute('aria-hidden', 'true');
    parent.append(this.canvas);
    this.ctx = this.canvas.getContext('2d')!;
    this.pen = new CanvasPen(this.ctx);
  }
  clear(width: number, height: number): void {
    const scale = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.ctx.setTransform(scale, 0, 0, scale, 0, 0);
    this.ctx.clearRect(0, 0, width, height);
  }
}

export class Pane {
  readonly element = document.createElement('section');
  private readonly title = document.createElement('b');
  private readonly facts = document.createElement('span');
  private readonly machine = document.createElement('div');
  private readonly lanes = document.createElement('div');
  private readonly empty = document.createElement('p');
  private readonly machineStill: Sheet;
  private readonly machineMoving: Sheet;
  private readonly lanesStill: Sheet;
  private readonly lanesMoving: Sheet;
  private transform: ZoomTransform = zoomIdentity;
  private scene: PreparedScene | null = null;
  private span = 1;
  private now = 0;
  private at: Placing = { k: 1, x: 0, y: 0 };
  private where: Lanes = { left: 0, top: 0, width: 1, height: 1, span: 1 };
  private readonly zoom = zoom<HTMLDivElement, unknown>().scaleExtent([0.5, 12]).clickDistance(4);
  private pressed = false;
  private dragged: Dragged | null = null;
  private wasDragged = false; // the click that follows is none

  /** @param canMove whether processes can change places */
  constructor(private readonly events: PaneEvents, private readonly canMove: boolean, name: string) {
    this.element.className = 'pane';
    const header = document.createElement('header');
    const close = document.createElement('button');
    close.type = 'button';
    close.textContent = '×';
    close.setAttribute('aria-label', `Close ${name}`);
    close.addEventListener('click', () => events.close());
    header.append(this.title, this.facts, close);
    this.machine.className = 'machine';
    this.machine.tabIndex = 0;
    this.machine.setAttribute('role', 'application');
    this.machine.setAttribute('aria-roledescription', 'machine');
    this.lanes.className = 'lanes';
    this.lanes.tabIndex = 0;
    this.lanes.setAttribute('role', 'slider');
    this.lanes.setAttribute('aria-label', 'Timeline');
    this.empty.className = 'empty';
    this.empty.hidden = true;
    this.element.append(header, this.machine, this.lanes);
    this.machineStill = new Sheet(this.machine);
    this.machineMoving = new Sheet(this.machine);
    this.lanesStill = new Sheet(this.lanes);
    this.lanesMoving = new Sheet(this.lanes);
    this.lanes.append(this.empty);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** @param span of the time axis, which panes side by side share */
  setScene(scene: MachineScene, span: number): void {
    this.scene = prepare(scene);
    this.span = span;
    const { doc, timeline } = scene.shown;
    const finish = timeline === null || timeline.neverEnds ? null : timeline.finish;
    this.title.textContent = doc.plan;
    const over = doc.bound !== null && doc.bound.ps > 0 && finish !== null ? ` · ${(finish / doc.bound.ps).toFixed(2)} × bound` : '';
    this.facts.textContent = timeline?.neverEnds ? 'never ends' : finish === null ? '' : inWords(finish) + over;
    this.machine.setAttribute(
      'aria-label',
      `Machine of ${scene.machine.processes} processes. Arrow keys move, Enter makes a process the root or folds a cluster.`,
    );
    this.empty.hidden = timeline !== null;
    this.empty.textContent = `${count(doc.messages)} messages: too many to draw. Take a smaller size or another plan.`;
    this.lanes.setAttribute('aria-valuemin', '0');
    this.lanes.setAttribute('aria-valuemax', '1000');
    this.draw();
  }

  draw(): void {
    const { scene } = this;
    if (scene === null) return;
    const size = this.machine.getBoundingClientRect();
    if (size.width < 20 || size.height < 20) return;
    scene.layout = place(scene.layout.root, size.width / size.height);
    this.scene = prepare(scene);
    const base = fit(this.scene.layout, size.width, size.height);
    const { k, x, y } = this.transform;
    this.at = { k: base.k * k, x: base.x * k + x, y: base.y * k + y };
    this.machineStill.clear(size.width, size.height);
    drawMachine(this.machineStill.pen, this.scene, this.at);
    const low = this.lanes.getBoundingClientRect();
    this.where = lanesIn(this.scene, low.width, low.height, this.span);
    this.lanesStill.clear(low.width, low.height);
    drawTimeline(this.lanesStill.pen, this.scene, this.where);
    this.drawNow(this.now);
  }

  drawNow(now: number): void {
    this.now = now;
    const { scene } = this;
    if (scene === null) return;
    const { width, height } = this.size(this.machine);
    this.machineMoving.clear(width, height);
    drawMoment(this.machineMoving.pen, scene, this.at, now);
    if (this.dragged?.isMoving) drawDragged(this.machineMoving.pen, scene, this.at, this.dragged);
    const low = this.size(this.lanes);
    this.lanesMoving.clear(low.width, low.height);
    if (scene.shown.timeline !== null) drawPlayhead(this.lanesMoving.pen, scene, this.where, now);
    this.lanes.setAttribute('aria-valuenow', String(Math.round((1000 * now) / this.span)));
    this.lanes.setAttribute('aria-valuetext', inWords(now));
  }

  /** Both drawings, one above the other; for files. */
  drawWhole(pen: Pen, left: number, top: number, width: number, machineHeight: number, lanesHeight: number, now: number): void {
    const { scene } = this;
    if (scene === null) return;
    const moved = { ...scene, layout: place(scene.layout.root, width / machineHeight) };
    const prepared = prepare(moved);
    const at = fit(prepared.layout, width, machineHeight);
    const shifted = { k: at.k, x: at.x + left, y: at.y + top };
    drawMachine(pen, prepared, shifted);
    if (now > 0) drawMoment(pen, prepared, shifted, now);
    const lanes = lanesIn(prepared, width, lanesHeight, this.span);
    const low = { ...lanes, left: lanes.left + left, top: lanes.top + top + machineHeight };
    drawTimeline(pen, prepared, low);
    if (now > 0) drawPlayhead(pen, prepared, low, now);
    this.draw(); // boxes are shared, and stand elsewhere now
  }

  resetView(): void {
    select(this.machine).call(this.zoom.transform, zoomIdentity);
  }
  zoomBy(factor: number): void {
    select(this.machine).call(this.zoom.scaleBy, factor);
  }
  focusMachine(): void {
    this.machine.focus();
  }

  private size(element: HTMLElement): { width: number; height: number } {
    return { width: element.clientWidth, height: element.clientHeight };
  }

  private listen(): void {
    const { machine, lanes, events } = this;
    this.zoom.on('zoom', (event: { transform: ZoomTransform }) => {
      this.transform = event.transform;
      this.draw();
    });
    const boxUnder = (event: MouseEvent): Box | null => {
      if (this.scene === null) return null;
      const edge = machine.getBoundingClientRect();
      return hit(this.scene, this.at, event.clientX - edge.left, event.clientY - edge.top);
    };
    // A mouse that is pressed on a process drags the process, beside them the whole machine.
    this.zoom.filter((event: MouseEvent | WheelEvent | TouchEvent) => {
      if (event.type === 'mousedown' && this.canMove && boxUnder(event as MouseEvent)?.isLeaf) return false;
      return (!event.ctrlKey || event.type === 'wheel') && !('button' in event && event.button !== 0);
    });
    select(machine).call(this.zoom).on('dblclick.zoom', null);
    this.listenDrag(boxUnder);
    machine.addEventListener('click', (event) => {
      if (this.wasDragged) {
        this.wasDragged = false;
        return;
      }
      const box = boxUnder(event);
      if (box === null) return;
      if (box.isLeaf) events.choose(box, event.shiftKey);
      else events.fold(box);
    });
    machine.addEventListener('pointermove', (event) => {
      if (this.dragged?.isMoving) return;
      const box = boxUnder(event);
      machine.style.cursor = box === null ? 'grab' : 'pointer';
      events.tip(box === null || this.scene === null ? null : this.words(box), event.clientX, event.clientY);
    });
    machine.addEventListener('pointerleave', () => events.tip(null, 0, 0));
    machine.addEventListener('keydown', (event) => this.machineKey(event));
    lanes.addEventListener('pointerdown', (event) => {
      this.pressed = true;
      lanes.setPointerCapture(event.pointerId);
      this.seekTo(event);
    });
    lanes.addEventListener('pointermove', (event) => {
      if (this.pressed) this.seekTo(event);
      else this.tipOfMessage(event);
    });
    lanes.addEventListener('pointerup', () => (this.pressed = false));
    lanes.addEventListener('pointercancel', () => (this.pressed = false));
    lanes.addEventListener('pointerleave', () => events.tip(null, 0, 0));
    lanes.addEventListener('keydown', (event) => this.lanesKey(event));
  }

  private listenDrag(boxUnder: (event: MouseEvent) => Box | null): void {
    const { machine, events } = this;
    const place = (event: PointerEvent): [number, number] => {
      const edge = machine.getBoundingClientRect();
      return [event.clientX - edge.left, event.clientY - edge.top];
    };
    machine.addEventListener('pointerdown', (event) => {
      this.wasDragged = false;
      this.dragged = null;
      const box = boxUnder(event);
      if (!this.canMove || event.pointerType === 'touch' || event.button !== 0 || box === null || !box.isLeaf) return;
      const [x, y] = place(event);
      this.dragged = { box, over: null, isMoving: false, fromX: x, fromY: y, x, y };
    });
    const drop = (changes: boolean) => {
      const { dragged } = this;
      if (dragged === null) return;
      this.dragged = null;
      if (!dragged.isMoving) return;
      this.wasDragged = true;
      machine.style.cursor = 'grab';
      events.tip(null, 0, 0);
      if (changes && dragged.over !== null) events.swap(dragged.box, dragged.over);
      else this.drawNow(this.now);
    };
    machine.addEventListener('pointermove', (event) => {
      const { dragged } = this;
      if (dragged === null) return;
      // Let go outside, where nobody saw it.
      if ((event.buttons & 1) === 0) return drop(false);
      [dragged.x, dragged.y] = place(event);
      if (!dragged.isMoving) {
        if (Math.hypot(dragged.x - dragged.fromX, dragged.y - dragged.fromY) < kDragDistance) return;
        dragged.isMoving = true;
        machine.setPointerCapture(event.pointerId);
        machine.style.cursor = 'grabbing';
      }
      const under = boxUnder(event);
      dragged.over = under?.isLeaf && under !== dragged.box ? under : null;
      const { rank } = this.scene!.machine.leaves;
      const own = `rank ${rank[dragged.box.id]}`;
      events.tip(dragged.over === null ? `${own}: onto another process` : `${own} and rank ${rank[dragged.over.id]} change places`, event.clientX, event.clientY);
      this.drawNow(this.now);
    });
    machine.addEventListener('pointerup', () => drop(true));
    machine.addEventListener('pointercancel', () => drop(false));
    machine.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') drop(false);
    });
  }

  private seekTo(event: PointerEvent): void {
    const edge = this.lanes.getBoundingClientRect();
    this.events.seek(toTime(this.where, event.clientX - edge.left));
  }

  private tipOfMessage(event: PointerEvent): void {
    const { scene } = this;
    const timeline = scene?.shown.timeline;
    if (scene === null || !timeline) return;
    const edge = this.lanes.getBoundingClientRect();
    const m = messageAt(scene, this.where, event.clientX - edge.left, event.clientY - edge.top);
    if (m < 0) return this.events.tip(null, 0, 0);
    const level = scene.machine.levels[timeline.level[m]!]?.channel ?? 'itself';
    const words = `${timeline.from[m]} → ${timeline.to[m]}, ${bytes(timeline.bytes[m]!)} over ${level}\n${inWords(timeline.leaves[m]!)} – ${inWords(timeline.arrives[m]!)}`;
    this.events.tip(words, event.clientX, event.clientY);
  }

  private words(box: Box): string {
    const { machine } = this.scene!;
    if (box.isLeaf) {
      const name = machine.leaves.name[box.id];
      const cost = machine.leaves.message_ps[box.id]!;
      return `rank ${machine.leaves.rank[box.id]}${name ? ` on ${name}` : ''}${cost > 0 ? `\n${inWords(cost)} a message` : ''}`;
    }
    const inside = machine.clusters.latency[box.id];
    const uplink = machine.clusters.uplink[box.id];
    const lines = [`${box.label}: ${box.leaves} processes, ${inside} apart`];
    if (uplink) lines.push(`uplink ${uplink}`);
    lines.push(box.folded ? 'click to unfold' : 'click to fold');
    return lines.join('\n');
  }

  private machineKey(event: KeyboardEvent): void {
    const { scene, events } = this;
    if (scene === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const selected = scene.selected;
    const key = event.key.toLowerCase();
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (arrow !== undefined) events.move(this.neighbour(selected, arrow));
    else if (event.key === 'Enter' && selected !== null) {
      if (selected.isLeaf) events.choose(selected, event.shiftKey);
      else events.fold(selected);
    } else if (key === 'f' && selected !== null) {
      const around = selected.isLeaf ? selected.parent : selected;
      if (around !== null && around.depth > 0) events.fold(around);
    } else if (key === 'm' && selected?.isLeaf) events.mark(selected);
    else if (key === 'u') events.unfoldAll();
    else if (event.key === 'Escape') events.move(null);
    else if (event.key === '+' || event.key === '=') this.zoomBy(1.4);
    else if (event.key === '-') this.zoomBy(1 / 1.4);
    else if (event.key === '0') this.resetView();
    else return;
    event.preventDefault();
  }

  /** The next box in a direction: near, and not far off to the side. */
  private neighbour(from: Box | null, [dx, dy]: [number, number]): Box | null {
    const { rows } = this.scene!.layout;
    if (from === null) return rows[0] ?? null;
    const x = from.x + from.w / 2;
    const y = from.y + from.h / 2;
    let best = Infinity;
    let found: Box | null = from;
    for (const box of rows) {
      const ax = box.x + box.w / 2 - x;
      const ay = box.y + box.h / 2 - y;
      const along = ax * dx + ay * dy;
      if (box === from || along <= 1) continue;
      const score = along + 2.5 * Math.abs(ax * dy - ay * dx);
      if (score < best) {
        best = score;
        found = box;
      }
    }
    return found;
  }

  private lanesKey(event: KeyboardEvent): void {
    const step = (this.span / 200) * (event.shiftKey ? 10 : 1);
    if (event.key === 'ArrowRight' || event.key === 'ArrowUp') this.events.seek(Math.min(this.span, this.now + step));
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowDown') this.events.seek(Math.max(0, this.now - step));
    else if (event.key === 'Home') this.events.seek(0);
    else if (event.key === 'End') this.events.seek(this.span);
    else return;
    event.preventDefault();
  }
}
