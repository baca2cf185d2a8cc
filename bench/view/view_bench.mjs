// What a page of `espalier view` costs: answers to a what-if, and script time a frame while a timeline plays.
// Printed, never asserted. usage: make bench-view, or node view_bench.mjs ESPALIER WEB CHROMIUM FOLDER
import fs from 'node:fs';
import { openBrowser, openPage, serve } from '../../tests/view/page.mjs';

const [, , espalier, web, chromium] = process.argv;
const kMachines = {
  8: 'site:2(30ms,100Mbit/s) proc:4(5us)',
  48: 'site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us)',
  1024: 'site:4(20ms,1Gbit/s) rack:4(200us,10Gbit/s) node:8(20us,10Gbit/s) proc:8(1us)',
};
const kTicksPerSecond = 100; // of /proc/PID/stat on Linux

/** Processor time of a process in milliseconds. */
function processorTime(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / kTicksPerSecond;
}

async function answers(server, address, operation) {
  const kCalls = 20;
  const before = processorTime(server.pid);
  for (let i = 0; i < kCalls; i++) {
    const query = { operation, size_bytes: 65536, quick: false, levels: [{ level: 0, latency: 1100 + i, bandwidth: 1000 }] };
    const response = await fetch(`${address}api/plan`, { method: 'POST', body: JSON.stringify(query) });
    await response.text();
  }
  return (processorTime(server.pid) - before) / kCalls;
}

async function frames(browser, address, unfold) {
  const page = await openPage(browser, address, { viewport: { width: 1440, height: 900 } });
  if (unfold) {
    await page.locator('.machine').focus();
    await page.keyboard.press('u');
    await page.waitForTimeout(500);
  }
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' }); // processor time, not the clock's
  const script = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find((one) => one.name === 'ScriptDuration').value * 1000;
  };
  await page.evaluate(() => {
    globalThis.frameCount = 0;
    const count = () => {
      globalThis.frameCount += 1;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  const before = await script();
  const first = await page.evaluate(() => globalThis.frameCount);
  await page.click('#play');
  await page.waitForTimeout(5000);
  const drawn = (await page.evaluate(() => globalThis.frameCount)) - first;
  const used = (await script()) - before;
  await page.context().close();
  return { drawn, each: used / Math.max(1, drawn) };
}

const browser = await openBrowser(web, chromium);
console.log('processes  operation  what-if, ms of processor  script time a frame, ms');
for (const [processes, machine] of Object.entries(kMachines)) {
  for (const operation of ['broadcast', 'allreduce']) {
    const server = serve(espalier, [machine, '--operation', operation]);
    const address = await server.address;
    const answer = await answers(server, address, operation);
    const folded = await frames(browser, address, false);
    const whole = await frames(browser, address, true);
    console.log(
      `${processes.padStart(9)}  ${operation.padEnd(9)}  ${answer.toFixed(1).padStart(24)}  ${folded.each.toFixed(2)} (${folded.drawn} frames), all unfolded ${whole.each.toFixed(2)} (${whole.drawn} frames)`,
    );
    await server.end();
  }
}
await browser.close();
