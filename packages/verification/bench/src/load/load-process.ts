/**
 * The load generator: a process of its own, so that neither the platform nor the bench that counts
 * takes time from it. Forked; its calls say what to request.
 */

import { Pool } from "undici";
import type { LoopFigures } from "../figures.ts";
import { percentile, rounded } from "../measures/percentile.ts";
import { monotonicMs } from "../webhooks/monotonic-clock.ts";
import { type KnownRecord, payoutIdOf, WrongAnswerError } from "./answers.ts";
import { type Child, serveCalls, startChild } from "./child.ts";
import { type FloorKind, type FloorScenario, floorExchanges } from "./floors/exchanges.ts";
import { closedLoop, type LoopEnd, type LoopTimes, type OpenPace, openLoop } from "./loops.ts";
import {
  addPayout,
  type Exchange,
  executeExchange,
  quoteExchange,
  type ScenarioName,
  scenarios,
  type Target,
  type TargetState,
} from "./scenarios.ts";
import type { WebhookReceiverCalls } from "./webhook-receiver-process.ts";

type Closed = { readonly concurrency: number; readonly end: LoopEnd };
type Loop = Closed | OpenPace;
type Run = Closed & {
  readonly name: string;
  readonly scenario: ScenarioName;
  /** Where a page deep down in the list begins. */
  readonly cursor?: string;
};
type LifecycleRun = { readonly name: string; readonly loop: Loop; readonly railMs: number };
type FloorRun = Closed & Sizes & { readonly url: string };
type FixedFloorRun = FloorRun & {
  readonly kind: FloorKind;
  readonly scenario: FloorScenario;
  /** Over so many accounts the executes are spread. */
  readonly accounts: number;
};
type Sizes = {
  readonly method: "GET" | "POST";
  readonly requestBytes: number;
  readonly answerBytes: number;
};

/** The result of a run; every answer was checked. The sizes are the last request's. */
export type LoadResult = Sizes &
  LoopFigures & {
    readonly elapsed_ms: number;
    /** False where an open loop ended early, with too many under way. */
    readonly keptUp: boolean;
  };

/** From the execute to its webhook, less what the rail takes. */
export type LifecycleResult = LoadResult & {
  readonly webhook_p50_ms: number;
  readonly webhook_p99_ms: number;
};

const memories = new Map<string, TargetState>();
const pools = new Map<string, Pool>();
/** As many connections as anyone may be in use at once. */
const connectionsMax = 64;

function poolOf(url: string): Pool {
  const { origin } = new URL(url);
  return pools.getOrInsertComputed(origin, () => {
    return new Pool(origin, { connections: connectionsMax });
  });
}

type NamedTarget = {
  readonly name: string;
  readonly targets: TargetState["targets"];
  readonly payouts: readonly KnownRecord[];
};

/** Names a target; reads of it may choose among the payouts. */
function target({ name, targets, payouts }: NamedTarget): void {
  const memory = { targets, quotes: [], payouts: [], amounts: new Map(), executed: 0 };
  for (const payout of payouts) addPayout(memory, payout);
  memories.set(name, memory);
}

function memoryOf(name: string): TargetState {
  const memory = memories.get(name);
  if (memory === undefined) throw new Error(`no target ${name}`);
  return memory;
}

function run(job: Run): Promise<LoadResult> {
  const memory = memoryOf(job.name);
  return requestMany(job, senderOf(memory.targets[0]), () =>
    scenarios[job.scenario](memory, job.cursor ?? ""),
  );
}

let receiving: ReturnType<typeof receiveWebhooks> | undefined;
/** The receiver is started by the first call. */
function webhooks() {
  receiving ??= receiveWebhooks();
  return receiving;
}

/** Each is a quote, its execute, and the webhook of its settlement; all three are checked. */
async function lifecycles({ name, loop, railMs }: LifecycleRun): Promise<LifecycleResult> {
  const memory = memoryOf(name);
  const { expect } = await webhooks();
  const webhookMs: number[] = [];
  let turn = 0;
  const result = await measure(loop, async () => {
    const asker = memory.targets[turn++ % memory.targets.length] ?? memory.targets[0];
    const send = senderOf(asker);
    const { made: quote } = await send(quoteExchange(asker));
    const sentAtMs = monotonicMs();
    const [receivedAtMs, { sizes }] = await Promise.all([
      expect(payoutIdOf(quote)),
      send(executeExchange(memory, quote)),
    ]);
    webhookMs.push(receivedAtMs - sentAtMs - railMs);
    return sizes;
  });
  return {
    ...result,
    webhook_p50_ms: rounded(percentile(webhookMs, 0.5), 2),
    webhook_p99_ms: rounded(percentile(webhookMs, 0.99), 2),
  };
}

type Send = <Made>(exchange: Exchange<Made>) => Promise<{ made: Made; sizes: Sizes }>;

/** Each POST has an idempotency key, as a careful merchant's has. */
function senderOf({ baseUrl, apiKey }: Pick<Target, "baseUrl" | "apiKey">): Send {
  const pool = poolOf(baseUrl);
  const authorization = `Bearer ${apiKey}`;
  return async ({ method, path, body, check }) => {
    const json = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
    const headers = { authorization, ...(body === undefined ? {} : json) };
    const answer = await pool.request({ method, path, headers, body: body ?? null });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) {
      throw new WrongAnswerError(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`);
    }
    const sizes = { method, requestBytes: body?.length ?? 0, answerBytes: text.length };
    return { made: check(text), sizes };
  };
}

function requestMany(
  loop: Closed,
  send: Send,
  next: () => Exchange<unknown> | undefined,
): Promise<LoadResult> {
  return measure(loop, async () => {
    const exchange = next();
    return exchange && (await send(exchange)).sizes;
  });
}

/** Runs a loop of attempts, each of which answers its sizes, or nothing where all are done. */
async function measure(loop: Loop, attempt: () => Promise<Sizes | undefined>): Promise<LoadResult> {
  let last: Sizes = { method: "GET", requestBytes: 0, answerBytes: 0 };
  const request = async () => {
    const sizes = await attempt();
    last = sizes ?? last;
    return sizes !== undefined;
  };
  const { latenciesMs, elapsedMs, keptUp }: LoopTimes & { readonly keptUp?: boolean } =
    "perSecond" in loop ? await openLoop(loop, request) : await closedLoop(loop, request);
  const at = (share: number) => rounded(percentile(latenciesMs, share), 2);
  return {
    requests: latenciesMs.length,
    elapsed_ms: rounded(elapsedMs, 1),
    per_s: rounded((latenciesMs.length * 1_000) / elapsedMs, 1),
    ...{ p50_ms: at(0.5), p99_ms: at(0.99), p999_ms: at(0.999) },
    ...last,
    keptUp: keptUp ?? true,
  };
}

/** Sends as many bytes as the platform was sent, and wants as many back. */
function floorExchange(job: FloorRun, path: string): Exchange {
  const check = (text: string) => {
    if (text.length === job.answerBytes) return;
    throw new WrongAnswerError(`the floor answered ${text.length} bytes`);
  };
  const body = job.method === "POST" ? { body: "x".repeat(job.requestBytes) } : {};
  return { method: job.method, path, ...body, check };
}

const floorSender = ({ url }: FloorRun) => senderOf({ baseUrl: url, apiKey: "" });

function floor(job: FloorRun): Promise<LoadResult> {
  const { pathname, search } = new URL(job.url);
  return requestMany(job, floorSender(job), () => floorExchange(job, pathname + search));
}

function fixedFloor(job: FixedFloorRun): Promise<LoadResult> {
  const send = floorSender(job);
  const next = floorExchanges(job);
  return measure(job, async () => {
    const { paths = [], answered } = next() ?? {};
    let sizes: Sizes | undefined;
    for (const path of paths) ({ sizes } = await send(floorExchange(job, path)));
    answered?.();
    return sizes;
  });
}

/** A webhook that takes longer is lost. */
const lateMs = 30_000;

/** Starts the receiver, and matches what comes with what is expected. */
async function receiveWebhooks() {
  const receiver: Child<WebhookReceiverCalls> = startChild("load/webhook-receiver-process.ts");
  const expected = new Map<string, (atMs: number) => void>();
  const collect = async () => {
    for (;;) {
      for (const { transactionId, atMs } of await receiver.call("take", undefined)) {
        expected.get(transactionId)?.(atMs);
      }
    }
  };
  // Ends with the receiver, which ends with this process.
  collect().catch(() => undefined);
  return {
    address: await receiver.call("listen", undefined),
    /**
     * Resolves with when the webhook of a transaction came first, by the monotonic clock. Call it
     * before the request, for the webhook may come before its answer.
     *
     * @throws {WrongAnswerError} where it does not come in 30 s.
     */
    expect: async (transactionId: string): Promise<number> => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const late = setTimeout(() => {
        reject(new WrongAnswerError(`no webhook of ${transactionId} has come`));
      }, lateMs);
      expected.set(transactionId, resolve);
      try {
        return await promise;
      } finally {
        clearTimeout(late);
        expected.delete(transactionId);
      }
    },
  };
}

const calls = {
  target,
  run,
  lifecycles,
  /** Successful executes of a target since it was named. */
  executed: (name: string) => memoryOf(name).executed,
  /** Where webhooks are received, and by which process. */
  receiver: async () => (await webhooks()).address,
  /** Requests as many bytes of a floor as the platform answers with. */
  floor,
  /** Requests of a fixed floor what the scenario does. */
  fixedFloor,
};
/** What the load generator does for the bench. */
export type LoadCalls = typeof calls;
serveCalls(calls);
