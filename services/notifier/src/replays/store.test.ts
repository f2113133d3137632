import { withCallContext } from "@disburse/chassis/call-context.ts";
import { expect, it } from "vitest";
import type { ReplayTerms } from "./rules/replay.ts";
import { newReplay, termsOf } from "./store.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const at = (ms: number): Date => new Date(now.getTime() + ms);
const terms: ReplayTerms = {
  ...{ endpointId: "whe_1", since: at(-3_600_000), until: at(-1_000) },
  ...{ states: ["exhausted", "delivered"], eventTypes: [], rate: 7 },
};
const change = { operationId: "op-1", actor: { kind: "api_key", id: "key_1" } } as const;
const running = { state: "running", due_at: now };
const done = { state: "done", due_at: null, expires_at: at(30 * 86_400_000) };

it.each([
  [done, 0, false],
  [running, 1, false],
  [running, 10_000, true],
  [running, 0, true],
])("a new replay is %j with %i deliveries, capped: %s", (progress, total, isCapped) => {
  const count = { total, isCapped };
  const created = withCallContext({ requestId: "req-1" }, () =>
    newReplay("mer_1", terms, count, change, now),
  );
  expect(created).toEqual({
    ...{ _id: expect.stringMatching(/^whr_/), schema_version: 1, merchant_id: "mer_1" },
    ...{ endpoint_id: "whe_1", since: terms.since, until: terms.until, rate: 7 },
    ...{ states: ["exhausted", "delivered"], cursor: null, queued_count: 0, lease: null },
    ...{ total, total_capped: isCapped, created_at: now, updated_at: now, ...progress },
    ...{ request_id: "req-1", operation_id: "op-1", actor: change.actor },
  });
  expect(termsOf(created)).toEqual(terms);
});

it("a new replay has its event types", () => {
  const chosen = { ...terms, eventTypes: ["refund"] };
  const created = newReplay("mer_1", chosen, { total: 1, isCapped: false }, change, now);
  expect(created.event_types).toEqual(["refund"]);
  expect(termsOf(created)).toEqual(chosen);
});
