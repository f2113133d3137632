import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "@disburse/chassis/settings.ts";
import { eachService } from "@disburse/sandbox/service-names.ts";
import { afterEach, expect, it } from "vitest";
import { createServiceProcesses } from "./processes.ts";

const checkout = mkdtempSync(join(tmpdir(), "checkout-"));
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

it.each([
  ["process.exit(3)", ["quote ended with code 3"]],
  ["process.kill(process.pid, 'SIGABRT')", ["quote ended with SIGABRT"]],
  ["process.kill(process.pid, 'SIGKILL')", []],
  ["process.kill(process.pid, 'SIGTERM')", []],
  ["process.exit(0)", []],
])("knows whether a service that ends by %s has failed", async (main, failures) => {
  const folder = join(checkout, "services/quote/src");
  mkdirSync(folder, { recursive: true });
  const environments = eachService((): Environment => ({ HOST: "127.0.0.1", ADMIN_PORT: "1" }));
  const processes = createServiceProcesses(environments, undefined, checkout);
  // The failure of the second process shows that the first one's end was noticed.
  for (const text of [main, "process.exit(4)"]) {
    writeFileSync(join(folder, "main.ts"), text);
    await expect(processes.start("quote")).rejects.toThrow("quote did not start");
  }
  const taken: (string | undefined)[] = [];
  const all = () => {
    taken.push(...processes.takeFailures().map((each) => each.split(":")[0]));
    return taken;
  };
  await expect.poll(all).toEqual([...failures, "quote ended with code 4"]);
});
