import { sharedPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { beforeAll, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { expectRefusal } from "./error-table.ts";
import { type Payer, payerOf } from "./payer.ts";

let platform: TestPlatform;
let acme: Payer;
let globex: Payer;
beforeAll(async () => {
  platform = await sharedPlatform();
  acme = payerOf(platform, "acme");
  globex = payerOf(platform, "globex");
});

/** Leaves time for a request to arrive first. */
const soonMs = 1_000;
const hourMs = 3_600_000;
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

async function schedule(ms: number, change: object = {}) {
  const terms = await acme.transfer("USD", "USD");
  const request = { ...terms, source_amount: "10.00", ...change, scheduled_at: ahead(ms) };
  return acme.data("POST", paths.scheduled, request);
}

const read = (id: string) => acme.data("GET", `${paths.scheduled}/${id}`);
const until = (id: string, expected: object) =>
  vi.waitFor(async () => expect(await read(id)).toMatchObject(expected), {
    ...{ timeout: 15_000, interval: 50 },
  });

it("scheduled payouts are made when they are due, or fail and say why", async () => {
  const [paid, dear, poor] = await Promise.all([
    schedule(soonMs, { reference_id: "rent", max_source_amount: "10.00" }),
    schedule(soonMs, {
      source_amount: undefined,
      ...{ receiving_amount: "10.00", max_source_amount: "10.00" },
    }),
    schedule(soonMs, { account_id: platform.accountId("acme", "USD", false) }),
  ]);
  expect(paid).toMatchObject({ status: "initiated", sub_status: "scheduled", payout_id: "" });
  await until(paid.id, { status: "succeeded", sub_status: "settled" });
  const { payout_id } = await read(paid.id);
  expect(await acme.data("GET", `${paths.payouts}/${payout_id}`)).toMatchObject({
    ...{ reference_id: "rent", source_amount: 10 },
  });
  await until(dear.id, { status: "failed", failure_code: "COST_ABOVE_MAXIMUM", payout_id: "" });
  await until(poor.id, { status: "failed", failure_code: "INSUFFICIENT_BALANCE", payout_id: "" });
});

it("one that waits is cancelled, listed, and its merchant's alone", async () => {
  const { id } = await schedule(hourMs);
  const waiting = async () => {
    const page = await acme.data("GET", `${paths.scheduled}?sub_status=scheduled`);
    return page.scheduled_payouts.map((each: { id: string }) => each.id);
  };
  expect(await waiting()).toContain(id);
  expectRefusal(await globex.get(`${paths.scheduled}/${id}`), "RECORD_NOT_FOUND");
  expectRefusal(await globex.post(`${paths.scheduled}/${id}/cancel`, {}), "RECORD_NOT_FOUND");
  const cancelled = { id, status: "failed", sub_status: "cancelled" };
  expect(await acme.data("POST", `${paths.scheduled}/${id}/cancel`, {})).toMatchObject(cancelled);
  expect(await waiting()).not.toContain(id);
});

it("its idempotency key orders it once; a time that is past is refused", async () => {
  const body = {
    ...(await acme.transfer("USD", "USD")),
    ...{ source_amount: "1.00", scheduled_at: ahead(hourMs) },
  };
  const headers = { "idempotency-key": "rent-2026-12" };
  const first = await acme.post(paths.scheduled, body, headers);
  expect((await acme.post(paths.scheduled, body, headers)).text).toBe(first.text);
  const past = { ...body, scheduled_at: "2020-01-01" };
  expect((await acme.post(paths.scheduled, past)).json).toMatchObject({
    ...{ code: "INVALID_REQUEST", message: "scheduled_at: must be in the future" },
  });
});
