import { parseArgs } from "node:util";
import { chromiumPath, openBrowser } from "../browser.ts";

/**
 * Prints the time of a page's first contentful paint, in ms from the start of the navigation. The
 * cache is empty. Usage: `node packages/verification/testkit/src/measure/first-paint.ts [URL]`.
 */
const runs = 5;

const { positionals } = parseArgs({ allowPositionals: true });
const [url = "http://127.0.0.1:8080/docs"] = positionals;
const path = chromiumPath();
if (path === undefined) throw new Error("no Chromium was found on the PATH or at CHROMIUM_PATH");

const paints: number[] = [];
for (let run = 0; run < runs; run += 1) {
  const browser = await openBrowser(path);
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.waitForFunction(`performance.getEntriesByName("first-contentful-paint").length > 0`);
    const script = `performance.getEntriesByName("first-contentful-paint")[0].startTime`;
    paints.push(Math.round(Number(await page.evaluate(script))));
  } finally {
    await browser.close();
  }
}
const median = paints.toSorted((a, b) => a - b)[Math.floor(runs / 2)];
process.stdout.write(`first paint of ${url}: ${median} ms (${paints.join(", ")})\n`);
