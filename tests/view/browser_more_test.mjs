// More of the page of `espalier view` in a real browser: zoom, large machines, two plans, narrow windows, names that are no names.
// usage: node browser_more_test.mjs ESPALIER WEB CHROMIUM FOLDER
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { changesHeadline, findPoint, headline, openBrowser, openPage, pixels, runCases, serve } from './page.mjs';

const [, , espalier, web, chromium, folder] = process.argv;
const kMachine = 'site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us)';
const kThousand = 'site:4(20ms,1Gbit/s) rack:4(200us,10Gbit/s) node:8(20us,10Gbit/s) proc:8(1us)';
const kCases = [];
const test = (name, run) => kCases.push([name, run]);

/** Opens a page on a server of its own, and ends both. */
async function onOwnServer(args, options, run) {
  const own = serve(espalier, args);
  const page = await openPage(browser, await own.address, options);
  await run(page);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.deepEqual(await own.end(), { code: 0, signal: null });
}
const still = (page) => pixels(page, '.machine canvas', 0);

test('the machine is made larger and smaller by wheel and keys, and dragged', async (page) => {
  const whole = await still(page);
  const changes = async (act) => {
    const before = await still(page);
    await act();
    await page.waitForFunction((old) => document.querySelector('.machine canvas').toDataURL().length !== old, before);
  };
  const box = await page.locator('.machine').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await changes(() => page.mouse.wheel(0, -400));
  await changes(async () => {
    await page.mouse.move(box.x + 6, box.y + 6);
    await page.mouse.down();
    await page.mouse.move(box.x + 90, box.y + 60, { steps: 5 });
    await page.mouse.up();
  });
  await page.locator('.machine').focus();
  await changes(() => page.keyboard.press('0'));
  await page.waitForFunction((old) => document.querySelector('.machine canvas').toDataURL().length === old, whole);
  await changes(() => page.keyboard.press('+'));
  await changes(() => page.keyboard.press('-'));
});

test('a message under the pointer is named', async (page) => {
  const tip = await page.evaluate(() => {
    const lanes = document.querySelector('.lanes');
    const box = lanes.getBoundingClientRect();
    for (let y = box.top + 24; y < box.bottom - 20; y += 3) {
      for (let x = box.left + 80; x < box.right - 20; x += 6) {
        lanes.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y }));
        if (!document.querySelector('#tip').hidden) return document.querySelector('#tip').textContent;
      }
    }
    return '';
  });
  assert.match(tip, /^\d+ → \d+, .*B over \S+\n.* – .*s$/s);
});

test('the speed of playing is chosen, and playing ends at the end', async (page) => {
  await page.selectOption('#speed', '4');
  await page.evaluate(() => (document.querySelector('#time').value = '900') && document.querySelector('#time').dispatchEvent(new Event('input')));
  assert.ok(Number(await page.inputValue('#time')) >= 899);
  await page.click('#play');
  await page.waitForFunction(() => document.querySelector('#play').getAttribute('aria-pressed') === 'false');
  assert.equal(await page.inputValue('#time'), '1000');
});

test('keys fold the cluster around a box, unfold all, leave the selection, change the colours', async (page) => {
  await page.locator('.machine').focus();
  const open = await still(page);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('f');
  await findPoint(page, /click to unfold/s);
  await page.keyboard.press('u');
  await page.keyboard.press('Escape');
  await page.waitForFunction((old) => document.querySelector('.machine canvas').toDataURL().length === old, open);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await page.keyboard.press('t');
  await page.keyboard.press('t');
  assert.notEqual(await theme(), before);
});

test('of two plans the first is closed, the second stays; both are saved side by side', async (page) => {
  const name = await page.locator('#candidates tr[aria-current=false] .name').first().getAttribute('data-plan');
  await page.locator('#candidates tr[aria-current=false] .beside').first().click();
  await page.waitForFunction(() => document.querySelectorAll('.pane').length === 2);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#export-svg')]);
  const path = `${folder}/two.svg`;
  await download.saveAs(path);
  const svg = fs.readFileSync(path, 'utf8');
  assert.match(svg, /^<svg [^>]*width="1800"/);
  assert.ok(svg.includes(name.replace(/[&<>"]/g, '')), name);
  await page.locator('.pane header button').first().click();
  await page.waitForFunction(() => document.querySelectorAll('.pane').length === 1);
  assert.equal(await page.locator('.pane header b').textContent(), name);
});

test('a root that is no rank is not taken', async (page) => {
  await page.fill('#root', '999');
  await page.locator('#root').press('Enter');
  await page.waitForFunction(() => Number(document.querySelector('#root').value) < 12 || !document.querySelector('#problem').hidden);
  await changesHeadline(page, () => page.selectOption('#operation', 'reduce'));
  assert.ok(await page.locator('#problem').isHidden());
});

test('what does not change answers stays: an operation without data has no size, one without a root no root', async (page) => {
  await changesHeadline(page, () => page.selectOption('#operation', 'barrier'));
  assert.ok(await page.locator('#size-field').isHidden());
  assert.ok(await page.locator('#root-field').isHidden());
  await changesHeadline(page, () => page.selectOption('#operation', 'scatter'));
  assert.ok(await page.locator('#size-field').isVisible());
  assert.ok(await page.locator('#root-field').isVisible());
});

test('1,024 processes are folded at first, unfold, play, and their machine is drawn whole', async () => {
  await onOwnServer([kThousand], {}, async (page) => {
    assert.match(await headline(page), /among 1,?024 processes/);
    await findPoint(page, /click to unfold/s);
    const folded = await still(page);
    await page.locator('.machine').focus();
    await page.keyboard.press('u');
    await page.waitForFunction((old) => document.querySelector('.machine canvas').toDataURL().length > old, folded);
    await page.click('#play');
    await page.waitForFunction(() => Number(document.querySelector('#time').value) > 5);
    await page.click('#play');
  });
});

test('a plan of too many messages says so instead of a drawing', async () => {
  await onOwnServer(['node:30(50us,1Gbit/s) proc:10(1us)', '--operation', 'alltoall', '--size', '1KiB'], {}, async (page) => {
    if (await page.locator('#more').isVisible()) await page.click('#more');
    await page.locator('#candidates .name[data-plan^=pairwise], #candidates .name[data-plan^=direct]').first().click();
    await page.waitForFunction(() => /too many to draw/.test(document.querySelector('.empty').textContent) && !document.querySelector('.empty').hidden);
  });
});

test('one process alone, and three', async () => {
  for (const machine of ['proc:1(1us)', 'proc:3(1us)']) {
    await onOwnServer([machine], {}, async (page) => {
      assert.match(await headline(page), /among [13] process/);
      await page.click('#play');
    });
  }
});

test('a window of 480 pixels shows everything without a bar from left to right', async () => {
  await onOwnServer([kMachine], { viewport: { width: 480, height: 800 } }, async (page) => {
    const { wide, seen } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, seen: document.documentElement.clientWidth }));
    assert.ok(wide <= seen, `${wide} of ${seen} pixels`);
    for (const id of ['#operation', '#play', '#candidates', '.machine', '.lanes']) {
      const box = await page.locator(id).boundingBox();
      assert.ok(box !== null && box.width > 40 && box.height > 10, id);
    }
  });
});

test('names in files are shown, never run', async () => {
  const file = `${folder}/names.json`;
  const evil = '<img src=x onerror="document.title=1">';
  const json = JSON.parse(execFileSync(espalier, ['show', kMachine, '--json']));
  json.name = evil;
  fs.writeFileSync(file, JSON.stringify(json));
  const page = `${folder}/names.html`;
  execFileSync(espalier, ['view', file, '--operation', 'barrier', '--html', page]);
  for (const address of [`file://${page}`]) {
    const shown = await openPage(browser, address);
    assert.ok((await shown.textContent('#subject')).includes(evil));
    assert.equal(await shown.locator('img').count(), 0);
    assert.deepEqual(shown.problems, []);
    await shown.context().close();
  }
  await onOwnServer([file], {}, async (shown) => {
    assert.ok((await shown.textContent('#subject')).includes(evil));
    assert.equal(await shown.locator('img').count(), 0);
  });
});

test('a placement is shown with each rank where it was put', async () => {
  const hosts = `${folder}/hosts`;
  const placement = `${folder}/placement.json`;
  fs.writeFileSync(hosts, 'a slots=4\nb slots=4\n');
  fs.writeFileSync(placement, execFileSync(espalier, ['place', '--profile', 'lu.S', '--processes', '8', '--inventory', hosts, '--json']));
  await onOwnServer([placement, '--machine', hosts], {}, async (page) => {
    assert.match(await headline(page), /among 8 processes/);
    assert.match(await page.textContent('#subject'), /^placement of lu\.S: 8 processes on 2 hosts, predicted .*s, as listed .*s · /);
    assert.match(await page.title(), /^placement of lu\.S/);
    const placed = JSON.parse(fs.readFileSync(placement, 'utf8'));
    assert.ok(placed.format.startsWith('espalier-placement'), placed.format);
    await findPoint(page, /^a: 4 processes/);
    await findPoint(page, /^rank 7$/);
  });
});

test('files that are cut off are refused in words', () => {
  const schedule = `${folder}/cut-schedule.json`;
  execFileSync(espalier, ['plan', 'broadcast', '--machine', kMachine, '--schedule', schedule]);
  fs.writeFileSync(schedule, fs.readFileSync(schedule, 'utf8').slice(0, 700));
  const trace = `${folder}/cut.trace`;
  fs.writeFileSync(trace, '{"format": "espalier-trace-1", "program": "x", "hosts": ["a"');
  for (const args of [[schedule, '--machine', kMachine], [trace], ['/dev/null'], [folder]]) {
    const ran = spawnSync(espalier, ['view', ...args], { encoding: 'utf8', timeout: 20_000 });
    assert.equal(ran.status, 2, `${args[0]}: ${ran.stderr}`);
    assert.match(ran.stderr, /error: /);
  }
});

const browser = await openBrowser(web, chromium);
const server = serve(espalier, [kMachine]);
const failed = await runCases(browser, await server.address, kCases);
await browser.close();
assert.deepEqual(await server.end(), { code: 0, signal: null });
process.exit(failed === 0 ? 0 : 1);
