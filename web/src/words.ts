// Lines of text about the plan that is shown.

import { find, make } from './dom';
import { time as inWords } from './format';
import { levelColour, type Palette } from './palette';
import type { Shown, Timeline } from './timeline';

/** The same call on the machine as it was described. */
export interface Unchanged {
  key: string;
  finish: number;
  plan: string;
}

/** How long a plan takes, behind its name. */
export function finishWords(timeline: Timeline | null): string {
  if (timeline === null) return '';
  return timeline.neverEnds ? ', never ends: espalier verify says why' : `, ${inWords(timeline.finish)}`;
}

/** A plan's time through the bound. One that never ends has none: its timeline ends with what happened last. */
export function overBound(timeline: Timeline | null, bound: { ps: number } | null): string {
  if (timeline === null || timeline.neverEnds || bound === null || bound.ps <= 0) return '';
  return `, ${(timeline.finish / bound.ps).toFixed(2)} × the bound`;
}

export function writeHeadline(shown: Shown): void {
  const { doc, timeline } = shown;
  const finish = finishWords(timeline);
  const over = overBound(timeline, doc.bound);
  const simulated = shown.simulated === null ? '' : `, simulated ${inWords(shown.simulated.finish)}`;
  const measured = doc.measured;
  if (measured !== undefined) {
    find('headline', HTMLElement).replaceChildren(
      make('span', { textContent: `${doc.call.words}: ` }),
      make('b', { textContent: measured.plan }),
      make('span', { textContent: `, call ${measured.number}, measured${finish.replace(',', '')}${simulated}` }),
    );
    return;
  }
  const plan = doc.plan === doc.chosen ? doc.plan : `${doc.plan} (not the chosen one)`;
  find('headline', HTMLElement).replaceChildren(make('span', { textContent: `${doc.call.words}: ` }), make('b', { textContent: plan }), make('span', { textContent: finish + over }));
}

export function writeLegend(shown: Shown, palette: Palette, levels: string[]): void {
  const used = new Set(shown.edges.map((edge) => edge.level));
  const entry = (colour: string, words: string, kind = '') => {
    const line = make('i', { className: kind });
    line.style.borderColor = colour;
    return make('li', {}, line, words);
  };
  const list = levels.flatMap((name, l) => (used.has(l) ? [entry(levelColour(palette, l), `over ${name}`)] : []));
  const isMeasured = shown.timeline?.kind === 'measured';
  list.push(entry(palette.critical, isMeasured ? 'largest difference' : 'critical path'));
  if (shown.simulated !== null) list.push(entry(palette.soft, 'simulated', 'dash'));
  if (shown.timeline !== null && shown.timeline.stepRank.length > 0) list.push(entry(palette.work, 'combining, copying'));
  if (shown.doc.bound !== null && !isMeasured) list.push(entry(palette.bound, 'bound', 'dash'));
  find('legend', HTMLElement).replaceChildren(...list);
}

/** What the changes gain or cost. @param before null: nothing is changed */
export function writeChanged(shown: Shown, before: Unchanged | null, marked: number | null): void {
  const line = find('changed', HTMLElement);
  const mark = marked === null ? '' : `Process ${marked} is marked: M on another one, and they change places. `;
  if (before === null || shown.timeline === null || shown.timeline.neverEnds) {
    line.textContent = mark;
    return;
  }
  const ratio = shown.timeline.finish / before.finish;
  const words = Math.abs(ratio - 1) < 0.005 ? 'As long as before' : ratio > 1 ? `${ratio.toFixed(2)} × as long` : `${(1 / ratio).toFixed(2)} × as fast`;
  const plan = shown.doc.plan === before.plan ? ', the same plan.' : `. Before: ${before.plan}, ${inWords(before.finish)}.`;
  line.replaceChildren(mark, make('strong', { textContent: words }), plan);
}
