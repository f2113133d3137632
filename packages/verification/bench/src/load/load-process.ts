/**
 * The load generator: a process of its own, so that neither the platform nor the bench that counts
 * takes time from it. Forked; its calls say what to request.
 */
import { Pool } from "undici";
import type { LoopFigures } from "../figures.ts";
import { percentile, rounded } from "../measures/percentile.ts";
import { type KnownRecord, WrongAnswerError } from "./answers.ts";
import { serveCalls } from "./child.ts";
import { closedLoop, type LoopEnd } from "./closed-loop.ts";
import {
  addPayout,
  type Exchange,
  type ScenarioName,
  scenarios,
  type Target,
  type TargetState,
} from "./scenarios.ts";

type Loop = { readonly concurrency: number; readonly end: LoopEnd };
type Run = Loop & {
  readonly name: string;
  readonly scenario: ScenarioName;
  /** Where a page deep down in the list begins. */
  readonly cursor?: string;
};
type FloorRun = Loop & Sizes & { readonly url: string };
type Sizes = {
  readonly method: "GET" | "POST";
  readonly requestBytes: number;
  readonly answerBytes: number;
};

/** The result of a run; every answer was checked. The sizes are the last request's. */
export type LoadResult = Sizes & LoopFigures & { readonly elapsed_ms: number };

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

type NamedTarget = { name: string; target: Target; payouts: readonly KnownRecord[] };

/** Names a target; reads of it may choose among the payouts. */
function target({ name, target: of, payouts }: NamedTarget): void {
  const memory = { target: of, quotes: [], payouts: [], amounts: new Map(), executed: 0 };
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
  const { baseUrl, apiKey } = memory.target;
  return requestMany(job, poolOf(baseUrl), `Bearer ${apiKey}`, () =>
    scenarios[job.scenario](memory, job.cursor ?? ""),
  );
}

function floorExchange(job: FloorRun): Exchange {
  const { pathname, search } = new URL(job.url);
  const check = (text: string) => {
    if (text.length === job.answerBytes) return;
    throw new WrongAnswerError(`the floor answered ${text.length} bytes`);
  };
  const body = job.method === "POST" ? { body: "x".repeat(job.requestBytes) } : {};
  return { method: job.method, path: pathname + search, ...body, check };
}

async function requestMany(
  loop: Loop,
  pool: Pool,
  authorization: string,
  next: () => Exchange | undefined,
): Promise<LoadResult> {
  let last: Sizes = { method: "GET", requestBytes: 0, answerBytes: 0 };
  const { latenciesMs, elapsedMs } = await closedLoop(loop, async () => {
    const exchange = next();
    if (exchange === undefined) return false;
    const text = await send(pool, authorization, exchange);
    exchange.check(text);
    const requestBytes = exchange.body?.length ?? 0;
    last = { method: exchange.method, requestBytes, answerBytes: text.length };
    return true;
  });
  return {
    requests: latenciesMs.length,
    elapsed_ms: rounded(elapsedMs, 1),
    per_s: rounded((latenciesMs.length * 1_000) / elapsedMs, 1),
    p50_ms: rounded(percentile(latenciesMs, 0.5), 2),
    p99_ms: rounded(percentile(latenciesMs, 0.99), 2),
    ...last,
  };
}

/** Each POST has an idempotency key, as a careful merchant's has. */
async function send(pool: Pool, authorization: string, exchange: Exchange): Promise<string> {
  const { method, path, body } = exchange;
  const answer = await pool.request({
    method,
    path,
    headers: {
      authorization,
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
    },
    body: body ?? null,
  });
  const text = await answer.body.text();
  if (answer.statusCode === 200) return text;
  throw new WrongAnswerError(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`);
}

const calls = {
  target,
  run,
  /** Successful executes of a target since it was named. */
  executed: (name: string) => memoryOf(name).executed,
  /** Requests as many bytes of a floor as the platform answers with. */
  floor: (job: FloorRun) => requestMany(job, poolOf(job.url), "", () => floorExchange(job)),
};
/** What the load generator does for the bench. */
export type LoadCalls = typeof calls;
serveCalls(calls);
