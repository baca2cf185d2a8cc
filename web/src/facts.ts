// The right side: candidates with the bound, and what the critical path waits for.

import type { Candidate, Measured, PlanDocument } from './documents';
import { find, make, swatch } from './dom';
import { count, time as inWords } from './format';
import { levelColour, type Palette } from './palette';
import { pathParts, type Shown } from './timeline';

export interface FactEvents {
  show(plan: string): void;
  beside(plan: string): void;
}

const kShort = 12;

/** The first plan of each kind, at most kShort of them. @param candidates the best first */
function bestOfKinds(candidates: Candidate[]): Set<string> {
  const best = new Map<string, string>();
  for (const one of candidates) if (best.size < kShort && !best.has(one.kind)) best.set(one.kind, one.plan);
  return new Set(best.values());
}

/** With three digits, so that the column stays narrow. */
function ratio(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

/** Two drawings side by side, the right one filled: two empty boxes would look like missing characters. */
function icon(): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 14 12');
  svg.setAttribute('aria-hidden', 'true');
  for (const [d, className] of [['M1 1.5h5v9H1z', ''], ['M8 1.5h5v9H8z', 'other']] as const) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', d);
    path.setAttribute('class', className);
    svg.append(path);
  }
  return svg;
}

/** What differs from the simulation, in words, and link by link. */
function measuredFacts(measured: Measured, palette: Palette): HTMLElement[] {
  const list = make('ul');
  for (const one of measured.links.slice(0, kShort)) {
    const later = one.median_excess_ps;
    const words = Math.abs(later) <= measured.residual_ps ? 'as simulated' : `${inWords(Math.abs(later))} ${later > 0 ? 'longer' : 'shorter'}`;
    list.append(make('li', {}, swatch(levelColour(palette, one.level)), make('span', { textContent: `${one.link} (${count(one.messages)})` }), make('span', { textContent: words })));
  }
  const exact = measured.residual_ps > 0 ? [make('p', { textContent: `Clocks differ: nothing below ${inWords(measured.residual_ps)} is named.` })] : [];
  return [
    make('h2', { textContent: 'Measured and simulated' }),
    make('p', {}, make('b', { textContent: measured.largest === null ? '' : 'Largest difference: ' }), `${measured.words}.`),
    ...(measured.late === '' ? [] : [make('p', { textContent: `The time counts from the first rank's entry: ${measured.late}.` })]),
    ...(measured.links.length > 0 ? [make('p', { textContent: 'Messages by link, median:' }), list] : []),
    ...exact,
  ];
}

export class Facts {
  private readonly body = find('candidates', HTMLTableElement).tBodies[0]!;
  private readonly more = find('more', HTMLButtonElement);
  private showsAll = false;
  private last: (() => void) | null = null;

  constructor(private readonly events: FactEvents) {
    this.more.addEventListener('click', () => {
      this.showsAll = !this.showsAll;
      this.last?.();
    });
  }

  /** @param has whether a plan can be shown */
  update(doc: PlanDocument, beside: string | null, has: (plan: string) => boolean): void {
    this.last = () => this.update(doc, beside, has);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['plan'] : undefined;
    const all = doc.candidates.filter((one) => has(one.plan));
    const bound = doc.bound?.ps ?? 0;
    const known = (one: (typeof all)[number]) => one.simulated_ps ?? one.predicted_ps;
    const short = bestOfKinds(all);
    const few = all.filter((one) => short.has(one.plan) || one.plan === doc.chosen || one.plan === doc.plan || one.plan === beside);
    const rows = this.showsAll ? all : few;
    const best = known(all[0] ?? { plan: '', kind: '', simulated_ps: 1, predicted_ps: 1 }) ?? 1;
    const widest = Math.min(4 * best, Math.max(...rows.map((one) => known(one) ?? 0)));
    this.body.replaceChildren(
      ...rows.map((one) => {
        const time = known(one);
        const name = make('button', { type: 'button', className: 'name' }, one.plan.replace(/ (?=\S*B$)/, '\u00a0').replace(/ KiB/g, '\u00a0KiB'));
        name.dataset['plan'] = one.plan;
        name.addEventListener('click', () => this.events.show(one.plan));
        const first = make('td', {}, name);
        if (one.plan === doc.chosen) first.append(make('span', { className: 'mark', textContent: 'chosen' }));
        if (time !== null) {
          const spread = make('span', { className: 'spread' });
          spread.style.setProperty('--w', `${Math.min(100, (100 * time) / widest)}%`);
          spread.style.setProperty('--b', `${time > 0 ? (100 * bound) / time : 0}%`);
          first.append(spread);
        }
        const isPredicted = one.simulated_ps === null;
        const beat = make('button', { type: 'button', className: 'beside', title: 'show it beside' });
        beat.append(icon());
        beat.hidden = one.plan === doc.plan;
        beat.setAttribute('aria-label', `${one.plan} beside`);
        beat.setAttribute('aria-pressed', String(one.plan === beside));
        beat.addEventListener('click', () => this.events.beside(one.plan));
        const row = make(
          'tr',
          {},
          first,
          make('td', { className: isPredicted ? 'predicted' : '', title: isPredicted ? 'predicted, not simulated' : one.kind === 'measured' ? 'measured' : 'simulated' }, time === null ? '–' : (isPredicted ? '≈ ' : '') + inWords(time)),
          make('td', { className: isPredicted ? 'predicted' : '' }, time === null || bound === 0 ? '–' : ratio(time / bound)),
          make('td', {}, beat),
        );
        row.setAttribute('aria-current', String(one.plan === doc.plan));
        if (one.plan === focused) queueMicrotask(() => name.focus());
        return row;
      }),
    );
    find('plan-count', HTMLElement).textContent = all.length > 1 ? count(all.length) : '';
    this.more.hidden = few.length === all.length;
    this.more.textContent = this.showsAll ? 'the best of each kind' : `all ${all.length} plans`;
    find('bound', HTMLElement).replaceChildren(
      ...(doc.bound === null
        ? []
        : [make('h2', { textContent: 'Bound' }), make('p', {}, 'No plan is faster than ', make('b', { textContent: inWords(doc.bound.ps) }), `: ${doc.bound.because}.`)]),
    );
  }

  /** What each level does in the plan. */
  updateLevels(doc: PlanDocument, palette: Palette, levels: string[]): void {
    const list = make('ul');
    doc.per_level.forEach((words, l) => list.append(make('li', { title: levels[l] ?? '' }, swatch(levelColour(palette, l)), make('span', { textContent: `${levels[l] ?? ''}: ${words}` }))));
    find('plan-levels', HTMLElement).replaceChildren(...(doc.per_level.length === 0 ? [] : [make('h2', { textContent: 'Level by level' }), list]));
  }

  updatePath(shown: Shown, palette: Palette, levels: string[], levelOf: (a: number, b: number) => number): void {
    const section = find('path', HTMLElement);
    const timeline = shown.timeline;
    if (shown.doc.measured !== undefined) return section.replaceChildren(...measuredFacts(shown.doc.measured, palette));
    if (timeline === null || timeline.path.length === 0) return section.replaceChildren();
    const parts = pathParts(timeline, levelOf, levels);
    const all = parts.reduce((sum, one) => sum + one.time, 0) || 1;
    const colour = (level: number | null) => (level === null ? palette.work : levelColour(palette, level));
    const bar = make('div', { className: 'shares' });
    bar.setAttribute('role', 'img');
    bar.setAttribute('aria-label', parts.map((one) => `${one.words} ${Math.round((100 * one.time) / all)} %`).join(', '));
    for (const part of parts) {
      const piece = make('span');
      piece.style.flex = String(part.time / all);
      piece.style.background = colour(part.level);
      bar.append(piece);
    }
    const list = make('ul');
    for (const part of parts) {
      const share = (100 * part.time) / all;
      list.append(make('li', {}, swatch(colour(part.level)), make('span', { textContent: part.words }), make('span', { textContent: `${inWords(part.time)} · ${share < 1 ? '< 1' : Math.round(share)} %` })));
    }
    section.replaceChildren(
      make('h2', { textContent: 'Critical path' }),
      bar,
      list,
      ...(timeline.bottleneck === null ? [] : [make('p', {}, 'Busiest: ', make('b', { textContent: timeline.bottleneck }), '.')]),
    );
  }
}
