/**
 * The process that asks: it is forked, and told by messages what to ask whom. Of its own, so that
 * neither the platform nor the bench that counts takes time from it.
 */
import { Pool } from "undici";
import { WrongAnswerError } from "./answers.ts";
import { closedLoop } from "./closed-loop.ts";
import type { LoadJob, LoadReply, LoadResult } from "./load-protocol.ts";
import { percentile, rounded } from "./percentile.ts";
import { type Exchange, type Memory, remember, type Scenario, scenarios } from "./scenarios.ts";

const memories = new Map<string, Memory>();
const pools = new Map<string, Pool>();
/** As many connections as anyone may ask side by side. */
const connectionsMax = 64;

const nothing: LoadResult = {
  requests: 0,
  elapsed_ms: 0,
  per_s: 0,
  p50_ms: 0,
  p99_ms: 0,
  method: "GET",
  requestBytes: 0,
  answerBytes: 0,
  executed: 0,
};

function poolOf(url: string): Pool {
  const { origin } = new URL(url);
  const pool = pools.get(origin) ?? new Pool(origin, { connections: connectionsMax });
  pools.set(origin, pool);
  return pool;
}

async function runJob(job: LoadJob): Promise<LoadResult> {
  switch (job.kind) {
    case "target": {
      const { name, target } = job;
      const memory = { target, quotes: [], payouts: [], amounts: new Map(), executed: 0 };
      for (const payout of job.payouts) remember(memory, payout);
      memories.set(name, memory);
      return nothing;
    }
    case "run": {
      const memory = memories.get(job.name);
      if (memory === undefined) throw new Error(`no target ${job.name}`);
      const next: Scenario = scenarios[job.scenario];
      const { baseUrl, apiKey } = memory.target;
      const asked = await askMany(job, poolOf(baseUrl), `Bearer ${apiKey}`, () =>
        next(memory, { cursor: job.cursor }),
      );
      return { ...asked, executed: memory.executed };
    }
    case "floor":
      return askMany(job, poolOf(job.url), "", () => floorExchange(job));
  }
}

function floorExchange(job: LoadJob & { kind: "floor" }): Exchange {
  const { pathname, search } = new URL(job.url);
  const check = (text: string) => {
    if (text.length === job.answerBytes) return;
    throw new WrongAnswerError(`the floor answered ${text.length} bytes`);
  };
  const body = job.method === "POST" ? { body: "x".repeat(job.requestBytes) } : {};
  return { method: job.method, path: pathname + search, ...body, check };
}

async function askMany(
  loop: Pick<LoadJob & { kind: "run" }, "concurrency" | "end">,
  pool: Pool,
  authorization: string,
  next: () => Exchange | undefined,
): Promise<LoadResult> {
  let last = { method: "GET" as "GET" | "POST", requestBytes: 0, answerBytes: 0 };
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
    executed: 0,
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

process.on("message", (job: LoadJob) => {
  void runJob(job)
    .then((result): LoadReply => ({ result }))
    .catch((error: unknown): LoadReply => ({ failure: String(error) }))
    .then((reply) => process.send?.(reply));
});
process.once("disconnect", () => process.exit());
