// Starts `espalier view` and a browser on its page, for tests and benchmarks.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

/** @param web the folder with node_modules */
export async function openBrowser(web, chromium) {
  const { chromium: launcher } = createRequire(`${web}/package.json`)('playwright-core');
  const args = process.getuid() === 0 ? ['--no-sandbox'] : [];
  return launcher.launch({ executablePath: chromium, args });
}

/** The server of a machine: its address, and how to end it. @param options of the process: its folder, its environment */
export function serve(espalier, args, options = {}) {
  const child = spawn(espalier, ['view', ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
  const address = new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
    ended.then(() => reject(new Error(`espalier view ended: ${text}`)));
  });
  return {
    address,
    pid: child.pid,
    end: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** A page that fails the test on any error in its console. */
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(300_000); // others use the machine too
  page.problems = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.problems.push(message.text());
  });
  page.on('pageerror', (error) => page.problems.push(String(error)));
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector('#headline')?.textContent || !document.querySelector('#problem').hidden);
  return page;
}

export const headline = (page) => page.textContent('#headline');

/** Does something, and waits until the headline is another. */
export async function changesHeadline(page, act) {
  const before = await headline(page);
  await act();
  await page.waitForFunction((old) => document.querySelector('#headline').textContent !== old, before);
  return headline(page);
}

/** A point of the machine where the tip says what is wanted. */
export async function findPoint(page, wanted) {
  const found = await page.evaluate((source) => {
    const machine = document.querySelector('.machine');
    const tip = document.querySelector('#tip');
    const box = machine.getBoundingClientRect();
    for (let y = box.top + 4; y < box.bottom; y += 8) {
      for (let x = box.left + 4; x < box.right; x += 8) {
        machine.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y }));
        if (!tip.hidden && new RegExp(source, 's').test(tip.textContent)) return { x, y };
      }
    }
    return null;
  }, wanted.source);
  assert.ok(found, `nothing of the machine says ${wanted}`);
  return found;
}
/** How much a canvas holds; the moving one of two unless told otherwise. */
export const pixels = (page, which, index = 1) =>
  page.evaluate(([selector, at]) => document.querySelectorAll(selector)[at].toDataURL().length, [which, index]);

/** Runs cases, those with a parameter on a page of their own. @return how many failed */
export async function runCases(browser, address, cases) {
  let failed = 0;
  for (const [name, run] of cases) {
    const page = run.length > 0 ? await openPage(browser, address) : null;
    try {
      await run(page);
      if (page !== null) assert.deepEqual(page.problems, []);
      console.log(`ok: ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
    if (page !== null) await page.context().close();
  }
  return failed;
}
