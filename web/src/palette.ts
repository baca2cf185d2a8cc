// Colours, from the style sheet. Those of levels are Okabe and Ito's, which people who do not tell red from green can tell
// apart; what matters also differs by width or form.

export interface Palette {
  ink: string;
  soft: string;
  faint: string;
  line: string;
  ground: string;
  surface: string;
  raised: string;
  process: string;
  done: string;
  critical: string;
  bound: string;
  focus: string;
  work: string;
  levels: string[];
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: value('ink'),
    soft: value('soft'),
    faint: value('faint'),
    line: value('line'),
    ground: value('ground'),
    surface: value('surface'),
    raised: value('raised'),
    process: value('process'),
    done: value('done'),
    critical: value('critical'),
    bound: value('bound'),
    focus: value('focus'),
    work: value('work'),
    levels: [0, 1, 2, 3, 4].map((l) => value(`level-${l}`)),
  };
}

export function levelColour(palette: Palette, level: number): string {
  return palette.levels[level % palette.levels.length]!;
}
