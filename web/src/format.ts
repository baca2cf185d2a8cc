// Quantities for people.

function rounded(value: number, digits = 4): string {
  return String(Number(value.toPrecision(digits)));
}

/** In the largest unit of which there is at least one after rounding; null: in none of them. */
function inUnits(value: number, units: [number, string][], digits: number): string | null {
  for (const [size, name] of units) {
    const shown = rounded(value / size, digits);
    if (Math.abs(Number(shown)) >= 1) return `${shown} ${name}`;
  }
  return null;
}

export function time(ps: number | null): string {
  if (ps === null || Number.isNaN(ps)) return 'never';
  const units: [number, string][] = [
    [1e12, 's'],
    [1e9, 'ms'],
    [1e6, 'µs'],
    [1e3, 'ns'],
  ];
  return inUnits(ps, units, 4) ?? (ps === 0 ? '0' : `${rounded(ps)} ps`);
}

/** Sizes that were given in powers of 1000 stay so, as the tool prints them. */
export function bytes(count: number): string {
  const binary: [number, string][] = [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ];
  const decimal: [number, string][] = [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ];
  const isDecimal = count % 1000 === 0 && count % 1024 !== 0;
  if (count < 1000) return `${count} B`;
  return inUnits(count, isDecimal ? decimal : binary, isDecimal ? 6 : 4) ?? `${count} B`;
}

export function bandwidth(bps: number): string {
  const units: [number, string][] = [
    [1e12, 'Tbit/s'],
    [1e9, 'Gbit/s'],
    [1e6, 'Mbit/s'],
    [1e3, 'kbit/s'],
  ];
  return inUnits(bps, units, 4) ?? `${rounded(bps)} bit/s`;
}

export function range(pair: [number, number], one: (value: number) => string): string {
  return pair[0] === pair[1] ? one(pair[0]) : `${one(pair[0])} – ${one(pair[1])}`;
}

export function factor(value: number): string {
  return `× ${rounded(value, 3)}`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Round steps for an axis: 1, 2 or 5 times a power of ten. */
export function axisStep(span: number, wanted: number): number {
  const raw = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const m of [1, 2, 5]) if (m * power >= raw) return m * power;
  return 10 * power;
}
