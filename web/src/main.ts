import './style.css';
import { Choices } from './choices';
import { Controls } from './controls';
import { findSource, Refusal, type MachineDocument, type Overview, type PlanDocument, type Source } from './documents';
import { find } from './dom';
import { saveSvg, savePng, type Exported } from './exporting';
import { Facts } from './facts';
import { count, time as inWords } from './format';
import { foldLarge, makeTree, place, unfold, type Box } from './layout';
import type { MachineScene } from './machine_view';
import { readPalette, type Palette } from './palette';
import { Pane } from './pane';
import { startTheme } from './theme';
import { show, type Shown } from './timeline';
import { finishWords, writeChanged, writeHeadline, writeLegend, type Unchanged } from './words';

const kMostRows = 160; // more are folded at the beginning
const kPlaySeconds = 7;

class App {
  private readonly choices: Choices;
  private readonly controls: Controls;
  private readonly facts: Facts;
  private readonly tree: Box;
  private readonly panes: Pane[] = [];
  private readonly holder = find('panes', HTMLElement);
  private palette: Palette = readPalette();
  private machine: MachineDocument;
  private shown: Shown | null = null;
  private besideShown: Shown | null = null;
  private unchanged: Unchanged | null = null;
  private selected: Box | null = null;
  private marked: Box | null = null;
  private now = 0;
  private playing = false;
  private lastFrame = 0;
  private isAsking = false;
  private wanted: { quick: boolean } | null = null;

  constructor(
    private readonly source: Source,
    private readonly overview: Overview,
  ) {
    this.machine = overview.machine;
    this.choices = new Choices(overview);
    this.tree = makeTree(overview.machine);
    foldLarge(this.tree, kMostRows);
    this.facts = new Facts({
      show: (plan) => this.showPlan(plan),
      beside: (plan) => this.showBeside(this.choices.beside === plan ? null : plan),
    });
    this.controls = new Controls(overview, source, this.choices, {
      changed: (moving) => this.ask(moving),
      showPlan: (plan) => this.showPlan(plan),
      reset: () => {
        this.choices.resetChanges();
        this.choices.plan = '';
        this.ask(false);
      },
    });
    this.panes.push(this.makePane('the first plan', () => this.closeFirst()));
    this.holder.append(this.panes[0]!.element);
    this.writeSubject();
    this.listen();
    const nextTheme = startTheme(() => {
      this.palette = readPalette();
      if (this.shown !== null) this.redraw();
    });
    this.listenKeys(nextTheme);
    this.ask(false);
  }

  private writeSubject(): void {
    const { machine, source, about } = this.overview;
    const name = machine.name || source;
    const shape = machine.levels.map((level) => level.channel).join(' › ');
    const words = [about ?? '', name, `${count(machine.processes)} processes`, shape].filter((one) => one !== '').join(' · ');
    const subject = find('subject', HTMLElement);
    subject.textContent = words;
    subject.title = words; // a narrow window cuts the line off
    document.title = `${about ?? name} – espalier view`;
  }

  private makePane(name: string, close: () => void): Pane {
    return new Pane(
      {
        choose: (box, withShift) => this.chooseProcess(box, withShift),
        fold: (box) => {
          box.folded = !box.folded;
          this.selected = box;
          this.choices.selectedRank = null;
          this.redraw();
        },
        unfoldAll: () => {
          unfold(this.tree);
          this.redraw();
        },
        mark: (box) => this.mark(box),
        swap: (a, b) => this.swap(a, b),
        move: (box) => this.select(box),
        seek: (time) => this.seek(time),
        tip: (words, x, y) => this.tip(words, x, y),
        close,
      },
      this.source.isLive,
      name,
    );
  }

  // -- asking

  /** Asks for what is chosen; while an answer is awaited, only the last wish is kept. */
  private ask(quick: boolean): void {
    this.wanted = { quick };
    if (!this.isAsking) void this.answerWishes();
  }

  private async answerWishes(): Promise<void> {
    this.isAsking = true;
    while (this.wanted !== null) {
      const { quick } = this.wanted;
      this.wanted = null;
      try {
        await this.answer(quick);
        this.problem(null);
      } catch (error) {
        this.problem(error);
        if (error instanceof Refusal && this.choices.plan !== '') {
          this.choices.plan = ''; // a plan that does not serve this call
          this.wanted ??= { quick: false };
        }
      }
    }
    this.isAsking = false;
  }

  private async answer(quick: boolean): Promise<void> {
    const { choices } = this;
    const isChanged = choices.isChanged();
    const [doc, other] = await Promise.all([
      this.source.plan(choices.query(choices.plan, quick)),
      choices.beside === null ? null : this.source.plan(choices.query(choices.beside, quick)).catch(() => null),
    ]);
    if (quick && this.shown !== null) this.keepTimes(doc);
    const before = this.shown?.timeline?.finish;
    this.shown = show(doc);
    this.besideShown = other === null ? null : show(other);
    if (other === null) choices.beside = null;
    const at = before ? this.now / before : 0;
    this.now = this.playing ? Math.min(this.now, this.span()) : at * (this.shown.timeline?.finish ?? 0);
    if (isChanged) await this.askUnchanged();
    this.machine = this.movedMachine();
    this.redraw();
    this.controls.update(doc, this.palette, this.has);
  }

  /** A quick answer has predictions only: the table keeps its order by them until the full one. */
  private keepTimes(doc: PlanDocument): void {
    doc.candidates.sort((a, b) => (a.simulated_ps ?? a.predicted_ps ?? Infinity) - (b.simulated_ps ?? b.predicted_ps ?? Infinity));
  }

  private async askUnchanged(): Promise<void> {
    const query = this.choices.unchangedQuery();
    const key = JSON.stringify(query);
    if (this.unchanged?.key === key) return;
    const doc = await this.source.plan(query);
    const finish = doc.candidates.find((one) => one.plan === doc.plan)?.simulated_ps ?? doc.timelines[0]?.finish_ps ?? 0;
    this.unchanged = { key, finish, plan: doc.plan };
  }

  private readonly has = (plan: string): boolean => this.source.has(this.choices.query(plan, false));

  private problem(error: unknown): void {
    const line = find('problem', HTMLElement);
    line.hidden = error === null;
    if (error === null) return;
    line.textContent = error instanceof Refusal ? `${error.message}. ${error.hint}` : String(error);
  }

  // -- choosing

  private showPlan(plan: string): void {
    this.choices.plan = plan;
    this.ask(false);
  }
  private showBeside(plan: string | null): void {
    this.choices.beside = plan;
    this.ask(false);
  }
  private closeFirst(): void {
    this.choices.plan = this.choices.beside ?? '';
    this.showBeside(null);
  }
  private rankOf(box: Box): number {
    return this.machine.leaves.rank[box.id]!;
  }
  private chooseProcess(box: Box, withShift: boolean): void {
    this.select(box);
    const kind = this.overview.operations.find((one) => one.name === this.choices.operation);
    if (withShift || !this.source.isLive || kind?.has_root !== true) return;
    this.choices.root = this.rankOf(box);
    this.choices.plan = '';
    this.ask(false);
  }
  private select(box: Box | null): void {
    this.selected = box;
    this.choices.selectedRank = box?.isLeaf ? this.rankOf(box) : null;
    if (box === null) this.marked = null;
    this.redraw();
    if (this.shown !== null) this.controls.update(this.shown.doc, this.palette, this.has);
  }
  /** The first process is kept in mind; with the second it changes places. */
  private mark(box: Box): void {
    if (!this.source.isLive) return;
    if (this.marked === null || this.marked === box) {
      this.marked = this.marked === box ? null : box;
      return this.redraw();
    }
    this.swap(this.marked, box);
  }
  private swap(a: Box, b: Box): void {
    // Where they are now, though the answer to the change before may not be there yet.
    const { rank } = this.movedMachine().leaves;
    this.choices.swaps.push([rank[a.id]!, rank[b.id]!]);
    this.marked = null;
    this.choices.plan = '';
    this.ask(false);
  }
  /** The machine with the ranks where they were moved to. */
  private movedMachine(): MachineDocument {
    const { machine } = this.overview;
    const rank = machine.leaves.rank.slice();
    for (const [a, b] of this.choices.swaps) {
      const [i, j] = [rank.indexOf(a), rank.indexOf(b)];
      rank[i] = b;
      rank[j] = a;
    }
    return { ...machine, leaves: { ...machine.leaves, rank } };
  }

  // -- drawing

  private span(): number {
    return Math.max(this.shown?.timeline?.finish ?? 0, this.shown?.simulated?.finish ?? 0, this.besideShown?.timeline?.finish ?? 0, this.shown?.doc.bound?.ps ?? 0, 1);
  }

  private scene(shown: Shown): MachineScene {
    const leafOfRank = new Uint32Array(this.machine.processes);
    this.machine.leaves.rank.forEach((rank, leaf) => (leafOfRank[rank] = leaf));
    const kind = this.overview.operations.find((one) => one.name === shown.doc.call.operation);
    return {
      machine: this.machine,
      layout: place(this.tree, 1.6),
      shown,
      palette: this.palette,
      leafOfRank,
      root: kind?.has_root === true ? shown.doc.call.root : null,
      selected: this.selected,
      marked: this.marked,
    };
  }

  private redraw(): void {
    const { shown, besideShown } = this;
    if (shown === null) return;
    if (besideShown !== null && this.panes.length === 1) {
      this.panes.push(this.makePane('the second plan', () => this.showBeside(null)));
      this.holder.append(this.panes[1]!.element);
    } else if (besideShown === null && this.panes.length === 2) {
      this.panes.pop()!.element.remove();
    }
    this.holder.classList.toggle('two', besideShown !== null);
    const span = this.span();
    this.panes[0]!.setScene(this.scene(shown), span);
    if (besideShown !== null) this.panes[1]!.setScene(this.scene(besideShown), span);
    this.facts.update(shown.doc, this.choices.beside, this.has);
    const names = this.machine.levels.map((level) => level.channel);
    this.facts.updatePath(shown, this.palette, names, (a, b) => this.levelOf(a, b));
    this.facts.updateLevels(shown.doc, this.palette, names);
    writeHeadline(shown);
    writeLegend(shown, this.palette, names);
    writeChanged(shown, this.choices.isChanged() ? this.unchanged : null, this.marked === null ? null : this.rankOf(this.marked));
    this.drawNow();
  }

  private levelOf(a: number, b: number): number {
    const { leaves, clusters } = this.machine;
    const way = (rank: number) => {
      const list: number[] = [];
      for (let c = leaves.cluster[leaves.rank.indexOf(rank)]!; ; c = clusters.parent[c]!) {
        list.unshift(c);
        if (c === 0) return list;
      }
    };
    const [x, y] = [way(a), way(b)];
    let level = 0;
    while (level + 1 < x.length && level + 1 < y.length && x[level + 1] === y[level + 1]) level += 1;
    return level;
  }

  // -- time

  private drawNow(): void {
    for (const pane of this.panes) pane.drawNow(this.now);
    const slider = find('time', HTMLInputElement);
    slider.value = String(Math.round((1000 * this.now) / this.span()));
    slider.setAttribute('aria-valuetext', inWords(this.now));
    find('time-text', HTMLElement).textContent = inWords(this.now);
  }
  private seek(time: number): void {
    this.now = time;
    this.drawNow();
  }
  private setPlaying(playing: boolean): void {
    this.playing = playing;
    const button = find('play', HTMLButtonElement);
    button.setAttribute('aria-pressed', String(playing));
    button.querySelector('span')!.textContent = playing ? 'Stop' : 'Play';
    button.querySelector('path')!.setAttribute('d', playing ? 'M3 2h4v12H3zM9 2h4v12H9z' : 'M4 2.5v11l9-5.5z');
    if (!playing) return;
    if (this.now >= this.span() * 0.999) this.now = 0;
    this.lastFrame = performance.now();
    requestAnimationFrame((at) => this.frame(at));
  }
  private frame(at: number): void {
    if (!this.playing) return;
    const speed = Number(find('speed', HTMLSelectElement).value);
    this.now += (Math.max(0, at - this.lastFrame) / 1000 / kPlaySeconds) * speed * this.span();
    this.lastFrame = at;
    if (this.now >= this.span()) {
      this.now = this.span();
      this.setPlaying(false);
    }
    this.drawNow();
    if (this.playing) requestAnimationFrame((next) => this.frame(next));
  }

  // -- the rest

  private tip(words: string | null, x: number, y: number): void {
    const tip = find('tip', HTMLElement);
    tip.hidden = words === null;
    if (words === null) return;
    tip.textContent = words;
    tip.style.left = `${Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(y + 16, window.innerHeight - tip.offsetHeight - 8)}px`;
  }

  private exported(): Exported {
    const titles = [this.shown, this.besideShown].flatMap((one) =>
      one === null ? [] : [`${one.doc.call.words}: ${one.doc.plan}${finishWords(one.timeline)}`],
    );
    return { panes: this.panes, titles, palette: this.palette, now: this.now };
  }

  private listen(): void {
    find('play', HTMLButtonElement).addEventListener('click', () => this.setPlaying(!this.playing));
    const slider = find('time', HTMLInputElement);
    slider.addEventListener('input', () => this.seek((Number(slider.value) / 1000) * this.span()));
    find('export-svg', HTMLButtonElement).addEventListener('click', () => saveSvg(this.exported(), `espalier-${this.choices.operation}`));
    find('export-png', HTMLButtonElement).addEventListener('click', () => savePng(this.exported(), `espalier-${this.choices.operation}`));
    find('help-open', HTMLButtonElement).addEventListener('click', () => find('help', HTMLDialogElement).showModal());
  }

  private listenKeys(nextTheme: () => void): void {
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const on = event.target instanceof HTMLElement ? event.target : null;
      const key = event.key.toLowerCase();
      if (on?.closest('input, select, textarea, dialog') && !(on instanceof HTMLInputElement && on.type === 'range' && event.key === ' ')) return;
      if (event.key === ' ' && !on?.closest('button')) this.setPlaying(!this.playing);
      else if (event.key === '?') find('help', HTMLDialogElement).showModal();
      else if (key === 't') nextTheme();
      else return;
      event.preventDefault();
    });
  }
}

async function start(): Promise<void> {
  try {
    const source = findSource();
    new App(source, await source.overview());
  } catch (error) {
    const line = find('problem', HTMLElement);
    line.hidden = false;
    line.textContent = error instanceof Refusal ? `${error.message}. ${error.hint}` : `The data of this page cannot be read: ${String(error)}`;
  }
}

void start();
