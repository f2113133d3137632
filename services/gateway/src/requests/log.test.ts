import { createMetrics } from "@disburse/chassis/metrics.ts";
import { expect, it } from "vitest";
import { createRequestLog } from "./log.ts";
import type { RequestEntry } from "./rules/request.ts";
import type { RequestGroup } from "./store.ts";

const entry = (place: number): RequestEntry => ({
  ...{ at: new Date(place), request_id: `r-${place}`, route: "GET /api/v1/events" },
  ...{ status: 200, duration_ms: 1, caller_id: "a1B2c3D4" },
});

function testLog(insert?: () => Promise<void>) {
  const stored: RequestGroup[][] = [];
  const keep = async (groups: readonly RequestGroup[]) => void stored.push([...groups]);
  const metrics = createMetrics("gateway");
  const log = createRequestLog({ store: { insert: insert ?? keep }, metrics });
  const dropped = async (reason: string) => {
    const line = `disburse_request_log_dropped_total{reason="${reason}",service="gateway"} `;
    const text = (await metrics.text()).split("\n").find((each) => each.startsWith(line));
    return Number(text?.slice(line.length));
  };
  return { log, stored, dropped };
}

it("stores collected requests once, by merchant and kind of caller", async () => {
  const { log, stored, dropped } = testLog();
  await log.flush();
  log.note("mer_1", "api_key", entry(1));
  log.note("mer_2", "api_key", entry(2));
  log.note("mer_1", "member", entry(3));
  log.note("mer_1", "api_key", entry(4));
  await log.flush();
  await log.flush();
  expect(stored).toEqual([
    [
      { merchantId: "mer_1", caller: "api_key", entries: [entry(1), entry(4)] },
      { merchantId: "mer_2", caller: "api_key", entries: [entry(2)] },
      { merchantId: "mer_1", caller: "member", entries: [entry(3)] },
    ],
  ]);
  expect([await dropped("full"), await dropped("not_stored")]).toEqual([0, 0]);
});

it("drops a merchant's oldest requests beyond a document's limit", async () => {
  const { log, stored, dropped } = testLog();
  for (let place = 0; place < 502; place += 1) log.note("mer_1", "api_key", entry(place));
  await log.flush();
  const [entries = []] = stored.flat().map((group) => group.entries);
  expect([entries.length, entries[0], entries.at(-1)]).toEqual([500, entry(2), entry(501)]);
  expect(await dropped("full")).toBe(2);
});

it("drops the oldest merchant's requests beyond the process's limit", async () => {
  const { log, stored, dropped } = testLog();
  log.note("first", "api_key", entry(0));
  for (let merchant = 0; merchant < 40; merchant += 1) {
    for (let place = 0; place < 500; place += 1) log.note(`mer_${merchant}`, "api_key", entry(1));
  }
  await log.flush();
  const groups = stored.flat();
  expect(groups.map(({ merchantId }) => merchantId)).not.toContain("first");
  expect(groups.reduce((sum, { entries }) => sum + entries.length, 0)).toBe(20_000);
  expect(await dropped("full")).toBe(1);
});

it("counts requests that could not be stored, and does not retry them", async () => {
  const { log, dropped } = testLog(() => Promise.reject(new Error("no primary")));
  log.note("mer_1", "api_key", entry(1));
  await expect(log.flush()).rejects.toThrow("no primary");
  await log.flush();
  expect(await dropped("not_stored")).toBe(1);
});
