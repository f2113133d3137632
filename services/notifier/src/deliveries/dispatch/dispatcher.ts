import type { Clock } from "@disburse/kernel/time.ts";
import type { HealthStore } from "../../endpoints/health-store.ts";
import type { EndpointStore } from "../../endpoints/store.ts";
import { createOwnership, type Ownership } from "../cluster/ownership.ts";
import type { ShardStore } from "../cluster/shard-store.ts";
import { createReleaser, type Releaser } from "../order/releaser.ts";
import type { LineStore } from "../order/store.ts";
import type { Slots } from "../rules/fairness.ts";
import { type Admission, createAdmission } from "./admission.ts";
import type { AttemptDeps } from "./attempt.ts";
import { createClaimer } from "./claimer.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { WorkFigures, WorkMetrics } from "./metrics.ts";
import { createNewcomers } from "./newcomers.ts";
import type { Pace } from "./pace.ts";
import { createReadAhead } from "./read-ahead.ts";
import { createRunner } from "./runner.ts";
import { createSettler } from "./settler.ts";
import type { WorkStore } from "./work-store.ts";

/**
 * 256 sockets fill one core, and 64 leave room for three other merchants (webhooks: fairness); 64
 * hung attempts at open circuits leave three quarters to those that are well. What has waited has
 * half of a process, which is more than it can use, so that news pass it in any case.
 */
export const slotsDefault: Slots = {
  processMax: 256,
  merchantMax: 64,
  openMax: 64,
  claimedMax: 128,
  pageMax: 2,
};

export type DispatcherDeps = AttemptDeps & {
  readonly work: WorkStore;
  readonly lines: LineStore;
  readonly endpoints: Pick<EndpointStore, "readActive">;
  readonly shards: ShardStore;
  readonly healths: HealthStore;
  readonly metrics: WorkMetrics;
  readonly slots: Slots;
  readonly clock: Clock;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  readonly place: string;
};

export type Dispatcher = {
  readonly admission: Admission;
  readonly release: Releaser["release"];
  /** Keeps this process's shards and finds out which of their endpoints have something due. */
  look(): Promise<void>;
  /**
   * Claims of what is due as much as there are slots for, at this pace, and starts it; answers how
   * many, and one at least where another round at once would find more.
   */
  round(pace?: Pace): Promise<number>;
  /** Resolves when nothing runs any more, and all that waited for it is let go. */
  idle(): Promise<void>;
  /** Endpoints that were not live may be. */
  unpark(): void;
  /** Whether other processes store events too, of which this one hears by looking alone. */
  isShared(): boolean;
  /** Looks again at some that wait without bound for others; answers whether there are more. */
  lookAgain(): Promise<boolean>;
  /** Stores what endpoints are like now. */
  tellHealth(): Promise<void>;
  figures(): Promise<WorkFigures>;
  /**
   * Leaves everything to other processes when nothing runs any more, or else as soon as `late`
   * resolves; nothing starts from now on.
   */
  leave(late?: Promise<void>): Promise<void>;
  /** Calls this whenever something is due and there may be a slot for it. */
  onWake(wake: () => void): void;
};

/** Delivers this process's share: what comes in is admitted, what waits is claimed. */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { clock, elapsed, work, lines, shards, healths, metrics, place } = deps;
  let woken = (): void => undefined;
  let dueIds: readonly string[] = [];
  let isNewOwner = false;
  let knownAs = "";
  const wake = (): void => woken();
  const lanes = createLanes(deps.slots, elapsed);
  const ownership = createOwnership({
    ...{ store: shards, place, elapsed, isBusy: lanes.isBusy, log: deps.log },
    onJoin: () => work.freeLeases(place, clock.now()),
    onTake: async (taken) => {
      await handOver(lanes, healths, ownership, knownAs);
      knownAs = ownership.token();
      lanes.learn(await healths.troubled(taken, clock.now()));
      isNewOwner ||= taken.length > 0;
    },
  });
  const due = (endpointIds: Iterable<string>): void => {
    const own = [...endpointIds].filter(ownership.owns);
    for (const endpointId of own) lanes.due(endpointId);
    if (own.length > 0) wake();
  };
  const releaser = createReleaser({ ...deps, due });
  const settler = createSettler({ ...deps, releaser });
  const runner = createRunner({ ...deps, lanes, ownership, settler, freed: wake });
  const newcomers = createNewcomers();
  const readAhead = createReadAhead(work, elapsed);
  const claimer = createClaimer({ ...deps, lanes, ownership, runner, newcomers, readAhead });
  const idle = () => runner.idle().then(releaser.idle);
  return {
    admission: createAdmission({ ...deps, lanes, ownership, runner, newcomers, wake }),
    look: async () => {
      await ownership.round();
      const now = clock.now();
      if (isNewOwner) {
        await lines.releaseLeft(now);
        isNewOwner = false;
      }
      const found = await work.dueEndpoints(now);
      const own = found.filter(({ endpointId }) => ownership.owns(endpointId));
      for (const { endpointId } of own) lanes.due(endpointId);
      // What waits for a merchant is no delay of ours.
      const served = own.filter(({ endpointId }) => lanes.of(endpointId).liveness === "live");
      dueIds = served.map(({ endpointId }) => endpointId);
      metrics.due(served, now);
    },
    release: releaser.release,
    round: claimer.round,
    idle,
    unpark: lanes.unpark,
    isShared: ownership.isShared,
    lookAgain: () => lookAgain(deps, due),
    tellHealth: () => tellHealth(lanes, healths, ownership.owns),
    figures: async () => ({
      due: await work.dueCount(dueIds.slice(0, countedMax), clock.now()),
      running: lanes.running(),
      shards: ownership.shardsOwned(),
      circuits: lanes.circuits(),
    }),
    leave: (late = new Promise(() => undefined)) =>
      ownership.leave(Promise.race([late, idle().then(() => tellHealth(lanes, healths))])),
    onWake: (listener) => {
      woken = listener;
    },
  };
}

async function lookAgain(
  { lines, clock, log }: DispatcherDeps,
  due: (endpointIds: Iterable<string>) => void,
): Promise<boolean> {
  const { freed, givenUp, hasMore } = await lines.lookAgain(clock.now());
  const gaveUp = "strict order: sent without an event before it that never arrived";
  if (givenUp.length > 0) log.warn({ delivery_ids: givenUp }, gaveUp);
  due(freed);
  return hasMore;
}

/** Of what is given the next owner has to hear; of what was taken away it knows more already. */
async function handOver(
  lanes: Lanes,
  healths: HealthStore,
  { owns, token }: Ownership,
  knownAs: string,
): Promise<void> {
  const isForeign = (endpointId: string): boolean => !owns(endpointId);
  if (token() === knownAs) await tellHealth(lanes, healths, isForeign);
  lanes.forget(isForeign);
}

/** A count for people goes no further than through so many endpoints. */
const countedMax = 1_000;

async function tellHealth(
  lanes: Lanes,
  healths: HealthStore,
  isToTell?: (endpointId: string) => boolean,
): Promise<void> {
  const news = lanes.news(isToTell);
  try {
    await healths.write(news);
  } catch (error) {
    lanes.untold(news);
    throw error;
  }
}
