import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { reportRejection, watchRejections } from "./rejections.ts";

const run = promisify(execFile);
const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

/** Runs code in a separate process whose service watches rejections; returns its log. */
async function processWith(what: string) {
  const script = `
    const { createLog } = await import(${here("./log.ts")});
    const { createMetrics } = await import(${here("./metrics.ts")});
    const { watchRejections } = await import(${here("./rejections.ts")});
    const metrics = createMetrics("quote");
    watchRejections(createLog("quote", "info"), metrics);
    ${what}
    setTimeout(async () => console.log(await metrics.text()), 50);
  `;
  return run(process.execPath, ["--input-type=module", "--eval", script]);
}

it("an unhandled rejection is logged and counted, and the process continues", async () => {
  const stray = `Promise.reject(new TypeError("stray")); Promise.reject("no error");`;
  const { stdout } = await processWith(stray);
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: "error",
      msg: "unhandled promise rejection",
      err: { type: "TypeError", message: "stray" },
    },
    { level: "error", msg: "unhandled promise rejection", err: { type: "string" } },
  ]);
  expect(stdout).toMatch(/^disburse_unhandled_rejections_total\{service="quote"\} 2$/m);
});

it("an exception that nothing catches still ends the process", async () => {
  const thrown = `setTimeout(() => { throw new Error("thrown"); }, 1);`;
  await expect(processWith(thrown)).rejects.toMatchObject({ code: 1 });
});

it("one is logged once and counted by each service of a process, which stop to watch", async () => {
  const lines: string[] = [];
  const log = createLog("quote", "info", { write: (line) => void lines.push(line) });
  const all = [createMetrics("quote"), createMetrics("payout")];
  const listeners = process.listenerCount("unhandledRejection");
  const stops = all.map((metrics) => watchRejections(log, metrics));
  expect(process.listenerCount("unhandledRejection")).toBe(listeners + 1);
  reportRejection(new Error("stray"));
  expect(lines).toHaveLength(1);
  for (const metrics of all) {
    expect(await metrics.text()).toMatch(/^disburse_unhandled_rejections_total\{[^}]*\} 1$/m);
  }
  for (const stop of stops) stop();
  expect(process.listenerCount("unhandledRejection")).toBe(listeners);
  expect(() => reportRejection(new Error("stray"))).toThrow("stray");
});
