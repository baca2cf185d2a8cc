// The page of `espalier view` in a real browser.
// usage: node browser_test.mjs ESPALIER WEB CHROMIUM FOLDER
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { changesHeadline, findPoint, headline, openBrowser, openPage, pixels, runCases, serve } from './page.mjs';

const [, , espalier, web, chromium, folder] = process.argv;
const kMachine = 'site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:4(5us)';
const kCases = [];
const test = (name, run) => kCases.push([name, run]);
let browser;
let address;

test('loads the plan that espalier plan chooses', async (page) => {
  const plan = JSON.parse(execFileSync(espalier, ['plan', 'broadcast', '--machine', kMachine, '--size', '64KiB', '--json']));
  assert.match(await headline(page), /^broadcast of 64 KiB among 12 processes: /);
  assert.ok((await headline(page)).includes(plan.chosen), plan.chosen);
  assert.equal(await page.locator('#candidates tr[aria-current=true] .name').count(), 1);
  assert.match(await page.textContent('#bound'), /No plan is faster than/);
});

test('operation, size, algorithm and root can be chosen', async (page) => {
  assert.match(await changesHeadline(page, () => page.selectOption('#operation', 'allreduce')), /^allreduce/);
  assert.ok(await page.locator('#root-field').isHidden());
  await changesHeadline(page, () => page.selectOption('#operation', 'reduce'));
  assert.match(await changesHeadline(page, () => page.locator('#size').press('ArrowRight')), /of 128 KiB/);
  await changesHeadline(page, () => page.selectOption('#plan', 'binomial'));
  assert.match(await headline(page), /binomial \(not the chosen one\)/);
  await page.click('#more');
  await changesHeadline(page, () => page.locator('#candidates .name').first().click());
  const point = await findPoint(page, /^rank 7/);
  await page.mouse.click(point.x, point.y);
  await page.waitForFunction(() => document.querySelector('#root').value === '7');
});

test('a latency that is dragged changes the plan', async (page) => {
  const slider = await page.locator('#latency-0').boundingBox();
  await page.mouse.move(slider.x + slider.width / 2, slider.y + slider.height / 2);
  await page.mouse.down();
  const moved = await changesHeadline(page, () => page.mouse.move(slider.x + 4, slider.y + slider.height / 2, { steps: 8 }));
  await page.mouse.up();
  assert.doesNotMatch(moved, / 35\.\d+ ms/);
  await page.waitForFunction(() => /as fast/.test(document.querySelector('#changed').textContent));
  await changesHeadline(page, () => page.click('#reset'));
  await page.waitForFunction(() => document.querySelector('#changed').textContent === '');
  assert.equal(await page.inputValue('#latency-0'), '0');
});

/** Drags the knob of a slider by the mouse to a part of its length; waits until the headline is another. */
async function dragSlider(page, id, from, to) {
  await page.locator(id).scrollIntoViewIfNeeded();
  const slider = await page.locator(id).boundingBox();
  const at = (part) => slider.x + 8 + part * (slider.width - 16);
  await page.mouse.move(at(from), slider.y + slider.height / 2);
  await page.mouse.down();
  const words = await changesHeadline(page, () => page.mouse.move(at(to), slider.y + slider.height / 2, { steps: 8 }));
  await page.mouse.up();
  return words;
}

test('a bandwidth and the cost of a process are dragged by the mouse', async (page) => {
  await dragSlider(page, '#bandwidth-0', 0.5, 0.1);
  await changesHeadline(page, () => page.click('#reset'));
  const point = await findPoint(page, /^rank 0/);
  await page.keyboard.down('Shift');
  await page.mouse.click(point.x, point.y);
  await page.keyboard.up('Shift');
  await page.waitForSelector('#node-cost');
  await dragSlider(page, '#node-cost', 0, 0.95);
  assert.match(await page.textContent('#node'), / ms/);
});

test('a process that is dragged onto another changes places with it', async (page) => {
  const before = await headline(page);
  const from = await findPoint(page, /^rank 1$/);
  const to = await findPoint(page, /^rank 9$/);
  const drag = async (x, y) => {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(x, y, { steps: 6 });
  };
  await drag(to.x, to.y);
  assert.match(await page.textContent('#tip'), /rank 1 and rank 9 change places/);
  await page.mouse.up();
  await page.waitForFunction(() => !document.querySelector('#reset').hidden);
  await page.mouse.move(from.x + 1, from.y + 1);
  await page.waitForFunction(() => /^rank 9$/.test(document.querySelector('#tip').textContent));
  assert.equal(await page.inputValue('#root'), '0'); // the release was no click
  await page.click('#reset');
  await page.waitForFunction((words) => document.querySelector('#headline').textContent === words, before);
  // Let go beside all processes, or with Escape: nothing changes.
  const box = await page.locator('.machine').boundingBox();
  await drag(box.x + 3, box.y + 3);
  await page.mouse.up();
  await drag(to.x, to.y);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  // With the next answer they would have changed.
  await changesHeadline(page, () => page.selectOption('#operation', 'barrier'));
  assert.ok(await page.locator('#reset').isHidden());
  await page.mouse.move(from.x + 1, from.y + 1);
  await page.waitForFunction(() => /^rank 1$/.test(document.querySelector('#tip').textContent));
  await changesHeadline(page, () => page.selectOption('#operation', 'broadcast'));
  await page.waitForFunction((words) => document.querySelector('#headline').textContent === words, before);
});

test('a bandwidth and the cost of a process change the plan', async (page) => {
  await changesHeadline(page, () => page.locator('#bandwidth-0').press('ArrowLeft'));
  const point = await findPoint(page, /^rank 0/);
  await page.keyboard.down('Shift');
  await page.mouse.click(point.x, point.y);
  await page.keyboard.up('Shift');
  await changesHeadline(page, () => page.locator('#node-cost').press('End'));
  assert.match(await page.textContent('#node'), /100 ms/);
});

test('two processes change places', async (page) => {
  await page.locator('.machine').focus();
  await page.keyboard.press('ArrowRight'); // the first box
  await page.keyboard.press('m');
  await page.waitForFunction(() => /is marked/.test(document.querySelector('#changed').textContent));
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('m');
  await page.waitForFunction(() => !document.querySelector('#reset').hidden);
  await page.waitForFunction(() => !/is marked/.test(document.querySelector('#changed').textContent));
});

test('the timeline plays, stops and can be dragged', async (page) => {
  const still = await pixels(page, '.machine canvas');
  await page.click('#play');
  await page.waitForFunction(() => Number(document.querySelector('#time').value) > 20);
  assert.notEqual(await pixels(page, '.machine canvas'), still);
  await page.click('#play');
  const stopped = await page.inputValue('#time');
  await page.waitForTimeout(150);
  assert.equal(await page.inputValue('#time'), stopped);
  const lanes = await page.locator('.lanes').boundingBox();
  await page.mouse.move(lanes.x + lanes.width * 0.5, lanes.y + lanes.height / 2);
  await page.mouse.down();
  await page.mouse.move(lanes.x + lanes.width * 0.8, lanes.y + lanes.height / 2, { steps: 4 });
  await page.mouse.up();
  assert.ok(Number(await page.inputValue('#time')) > 600);
});

test('clusters fold and unfold', async (page) => {
  const inside = await findPoint(page, /^site0.*click to fold/s);
  await page.mouse.click(inside.x, inside.y);
  const folded = await findPoint(page, /^site0.*click to unfold/s);
  await page.mouse.click(folded.x, folded.y);
  await findPoint(page, /^site0.*click to fold/s);
});

test('two plans stand side by side', async (page) => {
  await page.locator('#candidates tr[aria-current=false] .beside').first().click();
  await page.waitForFunction(() => document.querySelectorAll('.pane').length === 2);
  const names = await page.locator('.pane header b').allTextContents();
  assert.equal(new Set(names).size, 2);
  await page.locator('.pane header button').nth(1).click();
  await page.waitForFunction(() => document.querySelectorAll('.pane').length === 1);
});

test('drawings are saved as SVG and PNG', async (page) => {
  for (const [button, name, magic] of [
    ['#export-svg', 'espalier-broadcast.svg', '<svg xmlns'],
    ['#export-png', 'espalier-broadcast.png', '\x89PNG'],
  ]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
    assert.equal(download.suggestedFilename(), name);
    const path = `${folder}/${name}`;
    await download.saveAs(path);
    const text = fs.readFileSync(path, 'latin1');
    assert.ok(text.startsWith(magic), name);
    assert.ok(text.length > 4000, name);
    if (name.endsWith('svg')) assert.ok(text.trimEnd().endsWith('</svg>') && !/NaN|undefined/.test(text));
  }
});

test('everything can be done from the keyboard', async (page) => {
  const reached = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const one = document.activeElement;
      const style = getComputedStyle(one);
      return { name: one.id || one.className, seen: one === document.body || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) };
    });
    assert.ok(at.seen, `no focus to be seen on ${at.name}`);
    reached.add(at.name);
  }
  for (const name of ['operation', 'size', 'root', 'plan', 'latency-0', 'bandwidth-0', 'machine', 'lanes', 'play', 'time', 'speed', 'theme', 'export-svg', 'name', 'beside']) {
    assert.ok(reached.has(name), `Tab does not reach ${name}`);
  }
  await page.locator('.machine').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#root').value !== '0');
  await page.keyboard.press('f');
  await page.keyboard.press('Enter');
  await page.locator('.lanes').focus();
  await page.keyboard.press('End');
  assert.equal(await page.inputValue('#time'), '1000');
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => Number(document.querySelector('#time').value) > 5);
  await page.keyboard.press(' ');
  assert.equal(await page.getAttribute('#play', 'aria-pressed'), 'false');
  await page.keyboard.press('?');
  assert.ok(await page.locator('#help').isVisible());
  await page.keyboard.press('Escape');
});

test('light and dark follow the system and the switch', async (page) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  await page.click('#theme');
  assert.equal(await theme(), 'light');
  await page.click('#theme');
  assert.equal(await theme(), 'dark');
});

test('a server that has gone is told', async () => {
  const own = serve(espalier, [kMachine]);
  const page = await openPage(browser, await own.address);
  assert.deepEqual(await own.end(), { code: 0, signal: null });
  await page.selectOption('#operation', 'barrier');
  await page.waitForFunction(() => /does not answer/.test(document.querySelector('#problem').textContent));
  await page.context().close();
});

test('who does not know the token, or comes from elsewhere, gets nothing', async () => {
  const { port, pathname } = new URL(address);
  const status = (path, headers = {}, method = 'GET') =>
    new Promise((resolve, reject) => {
      const request = http.request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      request.on('error', reject);
      request.end();
    });
  assert.equal(await status(pathname), 200);
  assert.equal(await status('/'), 403);
  assert.equal(await status(`/${'0'.repeat(32)}/`), 403);
  assert.equal(await status(pathname, { Host: 'evil.example' }), 403);
  assert.equal(await status(`${pathname}api/overview`, { Origin: 'http://evil.example' }, 'POST'), 403);
  assert.equal(await status(`${pathname}../../etc/passwd`), 404);
});

test('one file needs no server, and no control is without effect', async () => {
  const file = `${folder}/page.html`;
  execFileSync(espalier, ['view', kMachine, '--html', file]);
  const page = await openPage(browser, `file://${file}`, { offline: true });
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const operations = await page.locator('#operation option').evaluateAll((list) => list.map((one) => one.value));
  assert.equal(operations.length, 11);
  for (const operation of operations.slice(1)) {
    assert.ok((await changesHeadline(page, () => page.selectOption('#operation', operation))).startsWith(operation));
  }
  await changesHeadline(page, () => page.selectOption('#operation', 'broadcast'));
  await changesHeadline(page, () => page.locator('#size').press('End'));
  await changesHeadline(page, () => page.locator('#latency-0').press('End'));
  await changesHeadline(page, () => page.click('#reset'));
  for (const plan of await page.locator('#plan option').evaluateAll((list) => list.map((one) => one.value))) {
    await page.selectOption('#plan', plan);
    await page.waitForFunction((name) => document.querySelector('#headline b').textContent.startsWith(name), plan);
  }
  assert.ok(await page.locator('#root-field').isHidden());
  assert.equal(await page.locator('#bandwidth-0').count(), 0);
  assert.equal(await page.textContent('#hint'), ''); // nothing there moves processes
  assert.deepEqual(asked, []);
  assert.deepEqual(page.problems, []);
  await page.context().close();

  execFileSync(espalier, ['view', kMachine, '--operation', 'barrier', '--html', file]); // its own kind is replaced
  const other = `${folder}/other.txt`;
  fs.writeFileSync(other, 'mine');
  assert.equal(spawnSync(espalier, ['view', kMachine, '--html', other]).status, 2);
  assert.equal(fs.readFileSync(other, 'utf8'), 'mine');
  execFileSync(espalier, ['view', kMachine, '--operation', 'barrier', '--html', other, '--force']);
  assert.notEqual(fs.readFileSync(other, 'utf8'), 'mine');
});

test('nothing is written but the file that is named', async () => {
  const home = fs.mkdtempSync(`${folder}/home-`);
  const env = { PATH: process.env.PATH };
  for (const name of ['HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR']) {
    env[name] = `${home}/${name}`;
    fs.mkdirSync(env[name]);
  }
  const cwd = `${home}/cwd`;
  fs.mkdirSync(cwd);
  const files = () => fs.readdirSync(home, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory()).map((one) => one.name);
  const own = serve(path.resolve(espalier), [kMachine], { cwd, env });
  const page = await openPage(browser, await own.address);
  await changesHeadline(page, () => page.selectOption('#operation', 'allreduce'));
  await page.context().close();
  await own.end();
  assert.deepEqual(files(), []);
  execFileSync(path.resolve(espalier), ['view', kMachine, '--operation', 'barrier', '--html', 'page.html'], { cwd, env });
  assert.deepEqual(files(), ['page.html']);
});

test('a file whose data is broken says so', async () => {
  const file = `${folder}/broken.html`;
  execFileSync(espalier, ['view', kMachine, '--operation', 'barrier', '--html', file]);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"points":{', '"points":{{'));
  const page = await openPage(browser, `file://${file}`);
  assert.match(await page.textContent('#problem'), /cannot be read/);
  await page.context().close();
});

test('a schedule is shown on a machine, bad arguments are refused', async () => {
  const schedule = `${folder}/schedule.json`;
  execFileSync(espalier, ['plan', 'broadcast', '--machine', kMachine, '--schedule', schedule]);
  const own = serve(espalier, [schedule, '--machine', kMachine]);
  const page = await openPage(browser, await own.address);
  assert.match(await headline(page), /schedule from the file/);
  await changesHeadline(page, () => page.locator('#candidates .name').first().click());
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await own.end();
  const file = `${folder}/schedule.html`;
  execFileSync(espalier, ['view', schedule, '--machine', kMachine, '--html', file]);
  const still = await openPage(browser, `file://${file}`);
  assert.match(await headline(still), /schedule from the file/);
  await still.context().close();
  for (const args of [['/no/such/file'], [schedule], [schedule, '--machine', 'proc:3'], [kMachine, '--machine', kMachine], [kMachine, '--root', '12'], [kMachine, '--algorithm', 'none'], ['proc:4000'], [kMachine, '--port', '70000'], [kMachine, '--force']]) {
    assert.equal(spawnSync(espalier, ['view', ...args]).status, 2, args.join(' '));
  }
});

test('a call that ran is drawn over its simulation, and the largest difference is named', async () => {
  const trace = `${folder}/run.trace`;
  const program = path.join(path.dirname(espalier), '../mpi/traced.mpich');
  const environment = { ...process.env, ESPALIER_TRIAL: '0' };
  execFileSync(espalier, ['run', '--machine', 'site:2(10us,100Mbit/s) proc:2(1us)', '--force', '--trace', trace, '--', 'mpiexec.mpich', '-n', '4', program], { env: environment });
  const own = serve(espalier, [trace, '--call', '1']);
  const page = await openPage(browser, await own.address);
  assert.match(await headline(page), /^broadcast of 64 KiB among 4 processes: .*, call 1, measured .*, simulated /);
  assert.match(await page.textContent('#path'), /rank \d entered last, .* after the first/);
  assert.match(await page.textContent('#path'), /Measured and simulated/);
  assert.match(await page.textContent('#path'), /Largest difference: rank \d to rank \d, .* longer|no message took longer/);
  assert.match(await page.textContent('#legend'), /simulated/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await own.end();
  const file = `${folder}/run.html`;
  execFileSync(espalier, ['view', trace, '--call', '1', '--html', file]);
  const still = await openPage(browser, `file://${file}`);
  assert.match(await headline(still), /call 1, measured/);
  await changesHeadline(still, () => still.locator('#candidates tr[aria-current=false] .name').first().click());
  assert.deepEqual(still.problems, []);
  await still.context().close();
});

browser = await openBrowser(web, chromium);
const server = serve(espalier, [kMachine]);
address = await server.address;
const failed = await runCases(browser, address, kCases);
await browser.close();
assert.deepEqual(await server.end(), { code: 0, signal: null });
process.exit(failed === 0 ? 0 : 1);
