import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const preload = join(import.meta.dirname, "clock-preload.ts");

it("shifts the current time of a process, and no other date", () => {
  const program = 'console.log(Date.now(), +new Date(), +new Date(7), +new Date("2026-01-01"))';
  const shown = execFileSync(process.execPath, ["--import", preload, "-e", program], {
    env: { FAULT_CLOCK_MS: "86400000" },
  });
  const [now = 0, fresh = 0, given, text] = shown.toString().split(" ").map(Number);
  const tomorrow = Date.now() + 86_400_000;
  for (const shifted of [now, fresh]) expect(Math.abs(shifted - tomorrow)).toBeLessThan(60_000);
  expect([given, text]).toEqual([7, Date.parse("2026-01-01")]);
});
