import { Binary } from "mongodb";
import { expect, it } from "vitest";
import type { DeliveryDocument } from "../documents.ts";
import { type ClaimerDeps, createClaimer } from "./claimer.ts";
import { slotsDefault } from "./dispatcher.ts";
import { createFreshQueue } from "./fresh-queue.ts";
import { createLimiter } from "./limiter.ts";

const endpointOf = (number: number): string => `whe_${String(number).padStart(5, "0")}`;

function dueDelivery(id: string, endpointId: string): DeliveryDocument {
  const body = new Binary(Buffer.from("{}"));
  return { _id: id, endpoint_id: endpointId, merchant_id: "m", body } as DeliveryDocument;
}

type Store = Pick<ClaimerDeps["work"], "take"> & {
  due(endpointId: string): Promise<DeliveryDocument[]>;
};

/** Starts a claimer with one due delivery per endpoint. All endpoints except `live` are paused. */
function startClaimer(endpoints: number, store: Partial<Store> = {}, live = 1) {
  let nowMs = 0;
  const started: string[] = [];
  const entered = new Set<string>();
  const reads: number[] = [];
  const limiter = createLimiter(slotsDefault, () => nowMs);
  const freshQueue = createFreshQueue();
  const last = endpointOf(endpoints);
  const delivery = (endpointId: string) => dueDelivery(`whd_${endpointId}`, endpointId);
  const { due = async (endpointId) => [delivery(endpointId)] } = store;
  const claimer = createClaimer({
    ...{ limiter, freshQueue, place: "p" },
    release: () => undefined,
    failing: { dueRetries: async () => [] } as never,
    clock: { now: () => new Date(nowMs) },
    ownership: { owns: () => true, token: () => "t" } as never,
    runner: {
      has: (id: string) => entered.has(id),
      enter: ({ _id, endpoint_id: endpointId }: DeliveryDocument, isClaimed: boolean) => {
        entered.add(_id);
        limiter.enter(limiter.of(endpointId, "m"), isClaimed);
      },
      leave: (id: string) => entered.delete(id),
      start: ({ _id }: DeliveryDocument) => started.push(_id),
    } as never,
    endpoints: {
      readActive: async (ids) => {
        reads.push(ids.length);
        const found = ids.map((id) => ({
          ...{ id, verifiedAt: new Date(0) },
          ...(id > endpointOf(endpoints - live) ? {} : { pausedAt: new Date(0) }),
        }));
        return new Map(found.map((each) => [each.id, each])) as never;
      },
    },
    work: {
      due,
      take: async (due: DeliveryDocument[]) => due,
      leased: async ([id]: string[]) => [
        { ...delivery(last), _id: id, due_at: new Date(nowMs + 30_000) },
      ],
      ...store,
    } as never,
  });
  for (let number = 1; number <= endpoints; number += 1) limiter.due(endpointOf(number));
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { claimer, limiter, freshQueue, started, entered, reads, advance, last };
}

it("a thousand suspended endpoints do not delay a live one", async () => {
  const { claimer, started, reads, advance, last } = startClaimer(1_001);
  let rounds = 0;
  while (started.length === 0 && (await claimer.round()) > 0) rounds += 1;
  expect(started).toEqual([`whd_${last}`]);
  expect(rounds).toBeLessThanOrEqual(3);
  // A second later they are probed again, in one read of limited size.
  reads.length = 0;
  advance(999);
  await claimer.round();
  expect(Math.max(0, ...reads)).toBeLessThanOrEqual(1);
  advance(1);
  await claimer.round();
  while ((await claimer.round()) > 1);
  expect(reads.filter((count) => count > 1)).toEqual([500]);
});

it("starts claimed deliveries although the response was lost", async () => {
  const { claimer, started, last } = startClaimer(1, {
    take: () => Promise.reject(new Error("lost")),
  });
  expect(await claimer.round()).toBe(1);
  expect(started).toEqual([`whd_${last}`]);
});

/** Claims for an endpoint with three due deliveries while fresh ones start elsewhere. */
async function claimBeside(freshCount: number, endpointOfNews: (at: number) => string) {
  const { claimer, limiter, started, last } = startClaimer(1, {
    due: async (endpointId) => {
      for (let at = 0; at < freshCount; at += 1) {
        const of = endpointOfNews(at);
        limiter.enter(limiter.of(of, of === endpointId ? "m" : `m_${of}`), false);
      }
      return [1, 2, 3].map((each) => dueDelivery(`whd_${each}`, endpointId));
    },
  });
  limiter.of(last, "m");
  await claimer.round();
  return { started: started.length, hasBacklog: limiter.of(last).hasBacklog };
}

it("claims no more of an endpoint than its limit leaves when the page was read", async () => {
  expect(await claimBeside(5, () => endpointOf(1))).toEqual({ started: 3, hasBacklog: false });
  expect(await claimBeside(6, () => endpointOf(1))).toEqual({ started: 2, hasBacklog: true });
  expect(await claimBeside(8, () => endpointOf(1))).toEqual({ started: 0, hasBacklog: true });
});

it("claims no more than 32 in one go, 2 of each endpoint in its turn", async () => {
  const turns = Array.from({ length: 40 }, (_, at) => endpointOf(at + 1));
  const due = async (endpointId: string) =>
    [1, 2, 3].map((each) => dueDelivery(`${endpointId}/${each}`, endpointId));
  const { claimer, limiter, started } = startClaimer(40, { due }, 40);
  for (const endpointId of turns) limiter.of(endpointId, `m_${endpointId}`);
  await claimer.round();
  expect(started).toHaveLength(32);
  const served = new Set(started.splice(0).map((id) => id.split("/")[0]));
  expect(served.size).toBe(16);
  await claimer.round();
  expect(started.length).toBeGreaterThan(0);
  expect(started.filter((id) => served.has(id.split("/")[0]))).toEqual([]);
});

it("counts claimed deliveries against the pace, and no fresh ones", async () => {
  const { claimer, freshQueue, started, last } = startClaimer(1);
  freshQueue.add(dueDelivery("whd_news", last));
  const counted: number[] = [];
  await claimer.round({ allowed: () => 1, claimed: (count) => counted.push(count) });
  expect(started).toEqual(["whd_news", `whd_${last}`]);
  expect(counted).toEqual([1]);
});

it("claims no more than the process has free when the page was read", async () => {
  expect(await claimBeside(253, (at) => `whe_${at}`)).toEqual({ started: 3, hasBacklog: false });
  expect(await claimBeside(254, (at) => `whe_${at}`)).toEqual({ started: 2, hasBacklog: true });
});
