// The left side: the call, and what if.

import type { Figures, Overview, PlanDocument, Source } from './documents';
import { nearest } from './documents';
import { find, make, swatch } from './dom';
import { bandwidth, bytes, factor, range, time as inWords } from './format';
import { levelColour, type Palette } from './palette';
import type { Choices } from './choices';

export interface ControlEvents {
  /** @param moving the control is still being dragged */
  changed(moving: boolean): void;
  showPlan(plan: string): void;
  reset(): void;
}

const kSteps = 20; // positions of a slider for a factor of ten

export class Controls {
  private readonly operation = find('operation', HTMLSelectElement);
  private readonly size = find('size', HTMLInputElement);
  private readonly root = find('root', HTMLInputElement);
  private readonly plan = find('plan', HTMLSelectElement);
  private sizes: number[] = [];

  constructor(
    private readonly overview: Overview,
    private readonly source: Source,
    private readonly choices: Choices,
    private readonly events: ControlEvents,
  ) {
    for (const one of overview.operations) this.operation.append(make('option', { value: one.name, textContent: one.name }));
    this.operation.addEventListener('change', () => {
      choices.operation = this.operation.value;
      choices.plan = '';
      this.fillSizes();
      events.changed(false);
    });
    const readSize = (moving: boolean) => {
      choices.size = this.sizes[Number(this.size.value)] ?? choices.size;
      choices.plan = '';
      this.sizeText();
      events.changed(moving);
    };
    this.size.addEventListener('input', () => readSize(true));
    this.size.addEventListener('change', () => readSize(false));
    this.root.max = String(overview.machine.processes - 1);
    this.root.addEventListener('change', () => {
      const value = Math.round(Number(this.root.value));
      choices.root = Math.max(0, Math.min(overview.machine.processes - 1, Number.isFinite(value) ? value : 0));
      this.root.value = String(choices.root);
      events.changed(false);
    });
    this.plan.addEventListener('change', () => events.showPlan(this.plan.value));
    find('reset', HTMLButtonElement).addEventListener('click', () => events.reset());
    find('root-field', HTMLElement).hidden = !source.isLive;
    this.fillSizes();
  }

  private fillSizes(): void {
    const all = this.source.sizes(this.choices.operation);
    this.sizes = this.source.isLive && !all.includes(this.choices.size) ? [...all, this.choices.size].sort((a, b) => a - b) : all;
    this.choices.size = nearest(this.sizes, this.choices.size);
    this.size.max = String(Math.max(0, this.sizes.length - 1));
  }

  private sizeText(): void {
    find('size-text', HTMLOutputElement).textContent = bytes(this.choices.size);
    this.size.setAttribute('aria-valuetext', bytes(this.choices.size));
  }

  /** Shows what is chosen now. */
  update(doc: PlanDocument, palette: Palette, has: (plan: string) => boolean): void {
    const { choices } = this;
    const kind = this.overview.operations.find((one) => one.name === choices.operation);
    this.operation.value = choices.operation;
    this.size.value = String(this.sizes.indexOf(choices.size));
    this.sizeText();
    find('size-field', HTMLElement).hidden = kind?.has_size === false || this.sizes.length < 2;
    find('root-field', HTMLElement).hidden = !this.source.isLive || kind?.has_root === false;
    this.root.value = String(choices.root);
    this.plan.replaceChildren(
      ...doc.candidates.filter((one) => has(one.plan)).map((one) => make('option', { value: one.plan, textContent: one.plan === doc.chosen ? `${one.plan} (chosen)` : one.plan })),
    );
    this.plan.value = doc.plan;
    this.updateLevels(doc.figures, palette);
    this.updateNode();
    find('reset', HTMLButtonElement).hidden = !choices.isChanged();
  }

  private updateLevels(figures: Figures[], palette: Palette): void {
    const holder = find('levels', HTMLElement);
    if (holder.childElementCount === 0) this.makeLevels(holder, palette);
    this.overview.machine.levels.forEach((_, l) => {
      const change = this.choices.levels[l]!;
      const set = (id: string, value: number, words: string) => {
        const slider = document.getElementById(id);
        if (!(slider instanceof HTMLInputElement)) return;
        if (document.activeElement !== slider || !this.choices.isMoving) slider.value = String(this.position(l, id, value));
        const text = value === 1000 ? words : `${words}  ${factor(value / 1000)}`;
        find(`${id}-text`, HTMLElement).textContent = text;
        slider.setAttribute('aria-valuetext', text);
      };
      const figure = figures[l];
      if (figure?.latency_ps) set(`latency-${l}`, change.latency, range(figure.latency_ps, inWords));
      if (figure?.bandwidth_bps) set(`bandwidth-${l}`, change.bandwidth, range(figure.bandwidth_bps, bandwidth));
    });
    for (const mark of holder.querySelectorAll<HTMLElement>('.swatch')) mark.style.background = levelColour(palette, Number(mark.dataset['level']));
    const factors = this.source.latencyFactors(this.choices.operation, this.choices.size);
    if (!this.source.isLive) find('what-if', HTMLElement).hidden = factors.length < 2 || holder.childElementCount === 0;
  }

  private position(level: number, id: string, thousandths: number): number {
    if (this.source.isLive) return Math.round(Math.log10(thousandths / 1000) * kSteps);
    void level;
    void id;
    return Math.max(0, this.factors().indexOf(thousandths));
  }
  private factors(): number[] {
    return this.source.latencyFactors(this.choices.operation, this.choices.size);
  }

  /** One slider for each figure that the machine has: a latency of 0 or no limit has none. */
  private makeLevels(holder: HTMLElement, palette: Palette): void {
    const { machine } = this.overview;
    machine.levels.forEach((level, l) => {
      if (!this.source.isLive && l > 0) return;
      const figure = machine.figures[l]!;
      const mark = swatch(levelColour(palette, l));
      mark.dataset['level'] = String(l);
      const group = make('div', { className: 'level' }, make('p', {}, mark, level.channel));
      if (figure.latency_ps && figure.latency_ps[1] > 0) {
        group.append(this.slider(`latency-${l}`, 'latency', (value) => (this.choices.levels[l]!.latency = value)));
      }
      if (figure.bandwidth_bps && this.source.isLive) {
        group.append(this.slider(`bandwidth-${l}`, 'bandwidth', (value) => (this.choices.levels[l]!.bandwidth = value)));
      }
      if (group.childElementCount > 1) holder.append(group);
    });
  }

  private slider(id: string, name: string, write: (thousandths: number) => void): HTMLElement {
    const input = make('input', { id, type: 'range' });
    if (this.source.isLive) Object.assign(input, { min: String(-2 * kSteps), max: String(2 * kSteps), step: '1', value: '0' });
    else Object.assign(input, { min: '0', max: String(this.factors().length - 1), step: '1' });
    const read = (moving: boolean) => {
      const at = Number(input.value);
      write(this.source.isLive ? Math.round(1000 * 10 ** (at / kSteps)) : (this.factors()[at] ?? 1000));
      this.choices.plan = '';
      this.choices.isMoving = moving;
      this.events.changed(moving);
    };
    input.addEventListener('input', () => read(true));
    input.addEventListener('change', () => read(false));
    const label = make('label', { htmlFor: id, textContent: name });
    return make('div', { className: 'field' }, make('span', {}, label, make('output', { id: `${id}-text` })), input);
  }

  /** The cost of the process that is selected. */
  private updateNode(): void {
    const holder = find('node', HTMLElement);
    const rank = this.choices.selectedRank;
    holder.hidden = rank === null || !this.source.isLive;
    find('hint', HTMLElement).textContent = rank === null && this.source.isLive ? 'Shift-click a process to change its cost. Drag it onto another: they change places.' : '';
    if (rank === null || !this.source.isLive) return;
    const leaf = this.overview.machine.leaves.rank.indexOf(rank);
    const own = this.overview.machine.leaves.message_ps[leaf] ?? 0;
    const now = this.choices.nodes.get(rank) ?? own;
    const steps = [0, ...Array.from({ length: 61 }, (_, i) => Math.round(1e5 * 10 ** (i / 10)))]; // 100 ns to 100 ms
    let input = holder.querySelector('input');
    if (input === null || holder.dataset['rank'] !== String(rank)) {
      holder.dataset['rank'] = String(rank);
      input = make('input', { id: 'node-cost', type: 'range', min: '0', max: String(steps.length - 1), step: '1' });
      const slider = input;
      const read = (moving: boolean) => {
        this.choices.nodes.set(rank, steps[Number(slider.value)] ?? 0);
        this.choices.plan = '';
        this.choices.isMoving = moving;
        this.events.changed(moving);
      };
      input.addEventListener('input', () => read(true));
      input.addEventListener('change', () => read(false));
      const label = make('label', { htmlFor: 'node-cost', textContent: 'cost of a message' });
      holder.replaceChildren(make('p', { textContent: `Process ${rank}` }), make('div', { className: 'field' }, make('span', {}, label, make('output', { id: 'node-cost-text' })), input));
    }
    const nearestStep = steps.reduce((best, value, i) => (Math.abs(value - now) < Math.abs(steps[best]! - now) ? i : best), 0);
    if (document.activeElement !== input || !this.choices.isMoving) input.value = String(nearestStep);
    find('node-cost-text', HTMLElement).textContent = now === 0 ? 'none' : inWords(now);
    input.setAttribute('aria-valuetext', now === 0 ? 'none' : inWords(now));
  }
}
