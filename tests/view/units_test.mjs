// Modules of the page without a browser: quantities in words, boxes, timelines, choices.
// usage: node units_test.mjs ESPALIER WEB
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const [, , , web] = process.argv;
const { buildSync } = createRequire(`${web}/package.json`)('esbuild');

async function load(name) {
  const made = buildSync({
    entryPoints: [fileURLToPath(new URL(`../../web/src/${name}.ts`, import.meta.url))],
    bundle: true,
    format: 'esm',
    write: false,
    nodePaths: [`${web}/node_modules`],
  });
  return import(`data:text/javascript,${encodeURIComponent(made.outputFiles[0].text)}`);
}

const kCases = [];
const test = (name, run) => kCases.push([name, run]);

const format = await load('format');
const layout = await load('layout');
const timeline = await load('timeline');
const lanes = await load('lanes_view');
const words = await load('words');
const { Choices } = await load('choices');
const { nearest } = await load('documents');

test('times are in the largest unit of which there is one', () => {
  const kExpected = [
    [0, '0'], [1, '1 ps'], [999, '999 ps'], [1000, '1 ns'], [1500, '1.5 ns'], [3_300_000, '3.3 µs'], [30e9, '30 ms'],
    [1e12, '1 s'], [3600e12, '3600 s'], [-2.5e9, '-2.5 ms'], [12.3456e9, '12.35 ms'], [null, 'never'], [NaN, 'never'],
  ];
  for (const [ps, words] of kExpected) assert.equal(format.time(ps), words);
});

test('what is rounded to 1000 of a unit is 1 of the next', () => {
  assert.equal(format.time(999.96e6), '1 ms');
  assert.equal(format.time(999.94e6), '999.9 µs');
  assert.equal(format.bandwidth(999_960_000), '1 Gbit/s');
});

test('sizes are in powers of 1024, or of 1000 if they were given so', () => {
  const kExpected = [
    [0, '0 B'], [1, '1 B'], [999, '999 B'], [1000, '1 kB'], [1023, '1023 B'], [1024, '1 KiB'], [1536, '1.5 KiB'], [1023 * 1024, '1023 KiB'],
    [1_000_000, '1 MB'], [1_048_576, '1 MiB'], [123_456_000, '123.456 MB'], [2 ** 30, '1 GiB'], [3 * 2 ** 29, '1.5 GiB'],
  ];
  for (const [count, words] of kExpected) assert.equal(format.bytes(count), words);
});

test('bandwidths, ranges, factors, counts', () => {
  assert.equal(format.bandwidth(100e6), '100 Mbit/s');
  assert.equal(format.bandwidth(9600), '9.6 kbit/s');
  assert.equal(format.bandwidth(300), '300 bit/s');
  assert.equal(format.range([30e9, 30e9], format.time), '30 ms');
  assert.equal(format.range([1e6, 30e9], format.time), '1 µs – 30 ms');
  assert.equal(format.factor(0.1), '× 0.1');
  assert.equal(format.count(65536), '65,536');
});

test('steps of an axis are round, and no more than wanted', () => {
  for (const span of [1, 7, 33.3, 1e5, 2.5e12]) {
    for (const wanted of [1, 3, 8]) {
      const step = format.axisStep(span, wanted);
      assert.ok(span / step <= wanted + 1e-9, `${span} ${wanted}: ${step}`);
      const digit = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
      assert.ok([1, 2, 5, 10].some((one) => Math.abs(digit - one) < 1e-6), `${step}`);
    }
  }
});

/** Sites of nodes of processes. */
function machine(sites, nodes, processes) {
  const clusters = { parent: [-1], name: [''], depth: [0], first_leaf: [0], leaves: [sites * nodes * processes], latency: ['1 ms'], uplink: [null] };
  const leaves = { rank: [], cluster: [], name: [], message_ps: [] };
  const add = (parent, depth, first, count) =>
    clusters.parent.push(parent) && clusters.name.push('') && clusters.depth.push(depth) && clusters.first_leaf.push(first) &&
    clusters.leaves.push(count) && clusters.latency.push('1 us') && clusters.uplink.push(null);
  for (let s = 0; s < sites; s++) {
    const site = clusters.parent.length;
    add(0, 1, s * nodes * processes, nodes * processes);
    for (let n = 0; n < nodes; n++) {
      const node = clusters.parent.length;
      add(site, 2, (s * nodes + n) * processes, processes);
      for (let p = 0; p < processes; p++) {
        leaves.cluster.push(node);
        leaves.rank.push(leaves.rank.length);
        leaves.name.push('');
        leaves.message_ps.push(0);
      }
    }
  }
  return { name: '', processes: leaves.rank.length, levels: [{ channel: 'wan', members: 'site' }, { channel: 'lan', members: 'node' }], figures: [], clusters, leaves };
}

test('boxes hold their members and do not overlap', () => {
  for (const [s, n, p] of [[2, 2, 4], [1, 3, 5], [4, 8, 32]]) {
    const placed = layout.place(layout.makeTree(machine(s, n, p)), 1.6);
    assert.equal(placed.rows.length, s * n * p);
    const inside = (a, b) => a.x >= b.x - 1e-6 && a.y >= b.y - 1e-6 && a.x + a.w <= b.x + b.w + 1e-6 && a.y + a.h <= b.y + b.h + 1e-6;
    for (const box of placed.boxes) if (box.parent !== null) assert.ok(inside(box, box.parent), box.label);
    for (const box of placed.boxes) {
      for (const [i, a] of box.members.entries()) {
        for (const b of box.members.slice(i + 1)) {
          assert.ok(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y, `${a.label} ${b.label}`);
        }
      }
    }
  }
});

test('large machines are folded from the inside, and unfold', () => {
  const tree = layout.makeTree(machine(4, 8, 32));
  layout.foldLarge(tree, 160);
  const folded = layout.place(tree, 1.6);
  assert.equal(folded.rows.length, 32);
  assert.deepEqual([...new Set(folded.rowOfLeaf)].length, 32);
  layout.unfold(tree);
  assert.equal(layout.place(tree, 1.6).rows.length, 1024);
  const small = layout.makeTree(machine(2, 2, 4));
  layout.foldLarge(small, 160);
  assert.equal(layout.place(small, 1.6).rows.length, 16);
});

test('the innermost box at a point is found', () => {
  const placed = layout.place(layout.makeTree(machine(2, 2, 4)), 1.6);
  for (const box of placed.rows) assert.equal(layout.boxAt(placed, box.x + box.w / 2, box.y + box.h / 2), box);
  assert.equal(layout.boxAt(placed, -5, -5), null);
});

/** Rank 0 to 1, then 1 to 2; the last message never arrives. */
const kDocument = {
  kind: 'simulated', tick_ps: 10, finish_ps: null,
  messages: {
    from: [0, 1, 1], to: [1, 2, 2], bytes: [8, 8, 16], level: [0, 1, 1], send_begin: [0, 50, 60], send_end: [10, 60, 70], flows: [10, 60, 70],
    arrived: [40, 90, null], recv_begin: [40, 90, null], recv_end: [50, 100, null],
  },
  steps: { rank: [1], begin: [42], end: [44] }, rank_finish: { at: [10, 60, null] },
  critical_path: { kind: ['transfer'], rank: [0], peer: [1], begin: [10], end: [40], slowed_by: [null] }, bottleneck: null,
};

test('a timeline has its times in picoseconds, and null is never', () => {
  const read = timeline.readTimeline(kDocument);
  assert.equal(read.count, 3);
  assert.equal(read.arrives[0], 400);
  assert.ok(Number.isNaN(read.arrives[2]));
  assert.ok(read.neverEnds);
  assert.equal(read.finish, 1000);
  assert.equal(read.path[0].left, 0); // when its sender turned to it
  assert.deepEqual(timeline.edgesOf(read).map(({ from, to, messages, bytes }) => [from, to, messages, bytes]), [[0, 1, 1, 8], [1, 2, 2, 24]]);
});

test('a timeline that never ends is not compared with the bound', () => {
  const read = timeline.readTimeline(kDocument);
  assert.equal(words.finishWords(read), ', never ends: espalier verify says why');
  assert.equal(words.overBound(read, { ps: 500 }), '');
  const ends = timeline.readTimeline({ ...kDocument, finish_ps: 1000 });
  assert.equal(words.finishWords(ends), `, ${format.time(1000)}`);
  assert.equal(words.overBound(ends, { ps: 500 }), ', 2.00 × the bound');
  assert.equal(words.overBound(ends, null), '');
  assert.equal(words.overBound(null, { ps: 500 }), '');
});

test('messages that are under way at a time are found', () => {
  const read = timeline.readTimeline(kDocument);
  for (let now = 0; now < 1000; now += 7) {
    const found = new Set(read.active.at(now));
    for (let m = 0; m < read.count; m++) {
      const isUnderWay = read.leaves[m] <= now && !(read.arrives[m] <= now);
      if (isUnderWay) assert.ok(found.has(m), `message ${m} at ${now}`);
    }
  }
});

test('a query holds what differs from the description, and nothing else', () => {
  const choices = new Choices({ machine: machine(2, 2, 4), first: { operation: 'broadcast', size_bytes: 64, root: 3, plan: '' } });
  assert.ok(!choices.isChanged());
  assert.deepEqual(choices.query('ring', true).levels, []);
  choices.levels[1].latency = 2000;
  choices.nodes.set(5, 1e6);
  choices.swaps.push([0, 7]);
  assert.ok(choices.isChanged());
  assert.deepEqual(choices.query('', false), {
    operation: 'broadcast', size_bytes: 64, root: 3, plan: '', quick: false,
    levels: [{ level: 1, latency: 2000, bandwidth: 1000 }], nodes: [{ rank: 5, message_ps: 1e6 }], swaps: [[0, 7]],
  });
  assert.deepEqual(choices.unchangedQuery().levels, []);
  choices.resetChanges();
  assert.ok(!choices.isChanged());
});

test('lanes of clusters with one label are told apart by the cluster around them', () => {
  const around = (label) => ({ isLeaf: false, label, depth: 1, parent: { depth: 0 } });
  const box = (label, parent) => ({ isLeaf: false, label, depth: 2, parent });
  const scene = { machine: { leaves: { rank: [3, 2] } } };
  const a = around('site0');
  const b = around('site1');
  assert.deepEqual(lanes.namesOf(scene, [box('machine0', a), box('machine0', b), box('machine1', b), { isLeaf: true, id: 1 }]), ['site0/machine0', 'site1/machine0', 'machine1', '2']);
  const hosts = ['node01.cluster.example.com', 'node02.cluster.example.com'];
  assert.deepEqual(lanes.namesOf(scene, hosts.map((name) => box(name, a))), ['node01.c…ple.com', 'node02.c…ple.com']);
});

/** The colours of a theme by name, from the style sheet. */
function colours(css, selector) {
  const at = css.indexOf(`${selector} {`);
  return Object.fromEntries([...css.slice(at, css.indexOf('}', at)).matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));
}
const channels = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

test('text stands out from its ground, light and dark', () => {
  const css = fs.readFileSync(new URL('../../web/src/style.css', import.meta.url), 'utf8');
  for (const selector of [':root', ":root[data-theme='dark']"]) {
    const theme = colours(css, selector);
    const grounds = ['ground', 'surface', 'raised'].map((name) => [name, channels(theme[name])]);
    // The row of the plan that is shown: 9 % of the colour of focus.
    grounds.push(['row', channels(theme.ground).map((c, i) => 0.91 * c + 0.09 * channels(theme.focus)[i])]);
    for (const text of ['ink', 'soft', 'faint', 'alert']) {
      for (const [name, ground] of grounds) {
        const seen = contrast(channels(theme[text]), ground);
        assert.ok(seen >= 4.5, `${selector}: ${text} on ${name} has ${seen.toFixed(2)}`);
      }
    }
  }
});

test('controls snap to the nearest point by ratio', () => {
  assert.equal(nearest([64, 1024, 16384], 100), 64);
  assert.equal(nearest([64, 1024, 16384], 300), 1024);
  assert.equal(nearest([], 5), 5);
});

let failed = 0;
for (const [name, run] of kCases) {
  try {
    run();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
