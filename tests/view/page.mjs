// Starts `espalier view` and a browser on its page, for tests and benchmarks.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

/** @param web the folder with node_modules */
export async function openBrowser(web, chromium) {
  const { chromium: launcher } = createRequire(`${web}/package.json`)('playwright-core');
  const args = process.getuid() === 0 ? ['--no-sandbox'] : [];
  return launcher.launch({ executablePath: chromium, args });
}

/** The server of a machine: its address, and how to end it. */
export function serve(espalier, args) {
  const child = spawn(espalier, ['view', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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
  page.setDefaultTimeout(120_000); // others use the machine too
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
