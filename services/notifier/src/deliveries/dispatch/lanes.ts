import { afterOutcome, circuitPauseMs, type Health } from "../../endpoints/rules/health.ts";
import type { Outcome } from "../../sender/rules/outcome.ts";
import { admissible, allot, type Candidate, claimable, type Slots } from "../rules/fairness.ts";
import { createLaneTable, type Lane } from "./lane-table.ts";
import { createLoads, type Loads } from "./load.ts";
import { createProbes } from "./probes.ts";

export type Lanes = ReturnType<typeof createLanes>;

/** Decides what may start: all in memory, all at once, for this process is the only owner. */
export function createLanes(slots: Slots, elapsed: () => number) {
  const table = createLaneTable(elapsed);
  const loads = createLoads();
  const backlog = new Set<Lane>();
  let servedLast = "";

  const setHealth = (lane: Lane, health: Health): void => {
    const isTurn = lane.health.circuit !== health.circuit;
    lane.health = health;
    if (isTurn) loads.turned(lane);
    if (health.circuit === "open") lane.waitsUntilMs = elapsed() + circuitPauseMs;
  };
  const setBacklog = (lane: Lane, hasBacklog: boolean): void => {
    lane.hasBacklog = hasBacklog;
    backlog[hasBacklog ? "add" : "delete"](lane);
  };
  const merchantRoom = (merchantId: string): number =>
    roomIn(loads.ofMerchant(merchantId), slots.merchantMax);

  return {
    ...table,
    ...createProbes(table.of, backlog, elapsed),
    /** Forgets endpoints of which nothing is under way here. */
    forget: (isOut: (endpointId: string) => boolean): void => {
      for (const lane of table.forget(isOut)) setBacklog(lane, false);
    },
    enter: (lane: Lane, isClaimed: boolean): void => loads.count(lane, 1, isClaimed),
    leave: (lane: Lane, isClaimed: boolean): void => loads.count(lane, -1, isClaimed),
    isBusy: loads.isBusy,
    running: (): number => loads.all.running,
    /** Attempts under way that were not claimed. */
    fresh: (): number => loads.all.running - loads.all.claimed,
    admitted: loads.admitted,
    mayAdmit: (lane: Lane): boolean => mayAdmit(lane, loads, slots, elapsed()),
    /** How much of an endpoint may be claimed at this moment, under every limit. */
    room: (lane: Lane): number => {
      const ofLane = roomOf(lane, loads, slots, elapsed());
      return Math.max(0, Math.min(ofLane, merchantRoom(lane.merchantId), freeSlots(loads, slots)));
    },

    /** Counts an attempt's outcome; a failing endpoint then has its pause. */
    attempted: (lane: Lane, outcome: Outcome, at: Date): void => {
      setHealth(lane, afterOutcome(lane.health, outcome, at));
      lane.isUntold = true;
    },
    /** Takes over what the owner before told. */
    learn: (healths: ReadonlyMap<string, Health>): void => {
      for (const [endpointId, health] of healths) setHealth(table.of(endpointId), health);
    },

    /** Something of an endpoint is due that is not leased. */
    due: (endpointId: string): void => setBacklog(table.of(endpointId), true),
    caughtUp: (lane: Lane): void => setBacklog(lane, false),

    /** How much to claim for which endpoints. */
    shares: (isOwn: (endpointId: string) => boolean, max: number): Map<string, number> => {
      const free = Math.min(freeSlots(loads, slots), max);
      if (free <= 0 || backlog.size === 0) return new Map();
      const due: Candidate[] = [];
      for (const lane of backlog) {
        const room = roomOf(lane, loads, slots, elapsed());
        if (!isOwn(lane.endpointId)) setBacklog(lane, false);
        else if (room > 0) due.push({ ...lane, room });
      }
      const shares = allot(due, free, merchantRoom, slots.pageMax, servedLast);
      servedLast = [...shares.keys()].at(-1) ?? servedLast;
      return shares;
    },
  };
}

/** What may still be claimed of a process's slots. */
function freeSlots({ all }: Loads, slots: Slots): number {
  return Math.min(slots.processMax - all.running, slots.claimedMax - all.claimed);
}

/** What may still be claimed under a limit. */
function roomIn(load: { readonly running: number; readonly claimed: number }, max: number): number {
  return Math.min(max - load.running, claimable(max) - load.claimed);
}

/** Slots of an endpoint that older deliveries may still take. */
function roomOf(lane: Lane, loads: Loads, slots: Slots, nowMs: number): number {
  if (lane.waitsUntilMs > nowMs || lane.liveness !== "live") return 0;
  const { circuit, concurrency } = lane.health;
  if (circuit === "open") return lane.running === 0 && loads.open() < slots.openMax ? 1 : 0;
  return roomIn(lane, concurrency);
}

/** Whether a fresh delivery may start now; older ones that wait keep their part. */
function mayAdmit(lane: Lane, loads: Loads, slots: Slots, nowMs: number): boolean {
  const { circuit, concurrency } = lane.health;
  if (circuit === "open" || lane.waitsUntilMs > nowMs) return false;
  return (
    lane.running < concurrency &&
    lane.running - lane.claimed < admissible(concurrency, lane.hasBacklog) &&
    loads.ofMerchant(lane.merchantId).running < slots.merchantMax &&
    loads.all.running < slots.processMax
  );
}
