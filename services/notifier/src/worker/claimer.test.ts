import { expect, it } from "vitest";
import type { DeliveryDocument } from "../store/documents.ts";
import { type ClaimerDeps, createClaimer } from "./claimer.ts";
import { slotsDefault } from "./dispatcher.ts";
import { createLanes } from "./lanes.ts";
import { createNewcomers } from "./newcomers.ts";

const endpointOf = (number: number): string => `whe_${String(number).padStart(5, "0")}`;

/** A claimer whose endpoints each have one delivery due, and are paused all but the last. */
function startClaimer(endpoints: number, work: Partial<ClaimerDeps["work"]> = {}) {
  let nowMs = 0;
  const started: string[] = [];
  const entered = new Set<string>();
  const reads: number[] = [];
  const lanes = createLanes(slotsDefault, () => nowMs);
  const last = endpointOf(endpoints);
  const delivery = (endpointId: string) =>
    ({ _id: `whd_${endpointId}`, endpoint_id: endpointId, merchant_id: "m" }) as DeliveryDocument;
  const claimer = createClaimer({
    ...{ lanes, newcomers: createNewcomers(), place: "p" },
    clock: { now: () => new Date(nowMs) },
    ownership: { owns: () => true, token: () => "t" } as never,
    runner: {
      has: (id: string) => entered.has(id),
      enter: ({ _id, endpoint_id: endpointId }: DeliveryDocument, isClaimed: boolean) => {
        entered.add(_id);
        lanes.enter(lanes.of(endpointId, "m"), isClaimed);
      },
      leave: (id: string) => entered.delete(id),
      start: ({ _id }: DeliveryDocument) => started.push(_id),
    } as never,
    endpoints: {
      readActive: async (ids) => {
        reads.push(ids.length);
        const found = ids.map((id) => ({
          ...{ id, verifiedAt: new Date(0) },
          ...(id === last ? {} : { pausedAt: new Date(0) }),
        }));
        return new Map(found.map((each) => [each.id, each])) as never;
      },
    },
    work: {
      due: async (endpointId: string) => [delivery(endpointId)],
      take: async (due: DeliveryDocument[]) => due,
      leased: async ([id]: string[]) => [
        { ...delivery(last), _id: id, due_at: new Date(nowMs + 30_000) },
      ],
      ...work,
    } as never,
  });
  for (let number = 1; number <= endpoints; number += 1) lanes.due(endpointOf(number));
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { claimer, lanes, started, entered, reads, advance, last };
}

it("lets a thousand endpoints that rest cost a live one nothing", async () => {
  const { claimer, started, reads, advance, last } = startClaimer(1_001);
  let rounds = 0;
  while (started.length === 0 && (await claimer.round()) > 0) rounds += 1;
  expect(started).toEqual([`whd_${last}`]);
  expect(rounds).toBeLessThanOrEqual(3);
  // They are asked again a second later, in one read of so many at most.
  reads.length = 0;
  advance(999);
  await claimer.round();
  expect(Math.max(0, ...reads)).toBeLessThanOrEqual(1);
  advance(1);
  await claimer.round();
  while ((await claimer.round()) > 1);
  expect(reads.filter((count) => count > 1)).toEqual([500]);
});

it("starts what it took although the answer was lost", async () => {
  const { claimer, started, last } = startClaimer(1, {
    take: () => Promise.reject(new Error("lost")),
  });
  expect(await claimer.round()).toBe(1);
  expect(started).toEqual([`whd_${last}`]);
});

/** Claims of one endpoint with three due, while so many fresh ones begin at some endpoints. */
async function claimBeside(news: number, endpointOfNews: (at: number) => string) {
  const { claimer, lanes, started, last } = startClaimer(1, {
    due: async (endpointId) => {
      for (let at = 0; at < news; at += 1) {
        const of = endpointOfNews(at);
        lanes.enter(lanes.of(of, of === endpointId ? "m" : `m_${of}`), false);
      }
      return [1, 2, 3].map((each) => {
        return {
          _id: `whd_${each}`,
          endpoint_id: endpointId,
          merchant_id: "m",
        } as DeliveryDocument;
      });
    },
  });
  await claimer.round();
  return { started: started.length, hasBacklog: lanes.of(last).hasBacklog };
}

it("claims no more of an endpoint than its limit leaves when the page was read", async () => {
  expect(await claimBeside(5, () => endpointOf(1))).toEqual({ started: 3, hasBacklog: false });
  expect(await claimBeside(6, () => endpointOf(1))).toEqual({ started: 2, hasBacklog: true });
  expect(await claimBeside(8, () => endpointOf(1))).toEqual({ started: 0, hasBacklog: true });
});

it("claims no more than the process has free when the page was read", async () => {
  expect(await claimBeside(253, (at) => `whe_${at}`)).toEqual({ started: 3, hasBacklog: false });
  expect(await claimBeside(254, (at) => `whe_${at}`)).toEqual({ started: 2, hasBacklog: true });
});
