/** The load generator: a process of its own, so that nothing else delays its requests. Forked. */
import type { LoopFigures, WebhookFigures } from "../figures.ts";
import { percentile, rounded } from "../measures/percentile.ts";
import { type KnownRecord, WrongAnswerError } from "./answers.ts";
import { serveCalls } from "./child.ts";
import { closedLoop, type LoopEnd, type LoopTimes, type OpenPace, openLoop } from "./loops.ts";
import { type NaiveScenario, nextNaiveTurn } from "./naive/operations.ts";
import { startReceivers } from "./receiver.ts";
import { addPayout, type ScenarioName, scenarios, type TargetState } from "./scenarios.ts";
import { newSeen, type Seen, type Sizes, senderOf } from "./sender.ts";

/** A closed loop, or an open one at a fixed rate. */
export type Loop = { readonly concurrency: number; readonly end: LoopEnd } | OpenPace;
type Run = {
  readonly name: string;
  readonly scenario: ScenarioName;
  readonly loop: Loop;
  /** The start of a page deep in the list. */
  readonly cursor?: string;
};
type NaiveRun = {
  readonly url: string;
  readonly scenario: NaiveScenario;
  readonly loop: Loop;
  /** The executes spread over so many accounts. */
  readonly accounts: number;
  readonly sizes: Sizes;
};

/** The result of a run. Every answer was checked. The sizes are the last request's. */
export type LoadResult = LoopFigures & {
  readonly elapsed_ms: number;
  /** False if an open loop ended early because too many requests were in flight. */
  readonly keptUp: boolean;
  readonly sizes: Sizes;
  /** Lifecycles only: the time from the execute to its webhook. */
  readonly webhook?: WebhookFigures;
};

const states = new Map<string, TargetState>();

type NamedTarget = {
  readonly name: string;
  readonly targets: TargetState["targets"];
  readonly payouts: readonly KnownRecord[];
};

/** Names a target. Reads of it choose among the payouts. */
function target({ name, targets, payouts }: NamedTarget): void {
  const state = { targets, quotes: [], payouts: [], amounts: new Map(), executed: 0 };
  for (const payout of payouts) addPayout(state, payout);
  states.set(name, state);
}

function stateOf(name: string): TargetState {
  const state = states.get(name);
  if (state === undefined) throw new Error(`no target ${name}`);
  return state;
}

/** A webhook that takes longer counts as lost. */
const lateMs = 30_000;
/** Callbacks for awaited webhooks, by transaction. */
const expected = new Map<string, (atMs: number) => void>();
let receiving: ReturnType<typeof startReceivers> | undefined;

async function receiver() {
  receiving ??= startReceivers({ receivers: 1, answerAfterMs: 0 }, ({ transactionId, atMs }) => {
    expected.get(transactionId)?.(atMs);
  });
  const { pid, urls } = await receiving;
  return { pid, url: urls[0] ?? "" };
}

async function webhookOf(transactionId: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const late = setTimeout(() => {
    reject(new WrongAnswerError(`the webhook of ${transactionId} did not come`));
  }, lateMs);
  expected.set(transactionId, resolve);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    expected.delete(transactionId);
  }
}

async function run({ name, scenario, loop, cursor = "" }: Run): Promise<LoadResult> {
  const state = stateOf(name);
  const seen = newSeen();
  const webhookMs: number[] = [];
  let turns = 0;
  const result = await measure(loop, seen, () => {
    const own = state.targets[turns++ % state.targets.length] ?? state.targets[0];
    const send = senderOf(own, seen);
    return scenarios[scenario]({ state, target: own, send, cursor, webhookOf, webhookMs });
  });
  if (webhookMs.length === 0) return result;
  const at = (share: number) => rounded(percentile(webhookMs, share), 2);
  return { ...result, webhook: { p50_ms: at(0.5), p99_ms: at(0.99) } };
}

/** Sends the naive program as many bytes as the platform got, and expects as many back. */
function naive({ url, scenario, loop, accounts, sizes }: NaiveRun): Promise<LoadResult> {
  const { method, requestBytes, answerBytes } = sizes;
  const seen = newSeen();
  const send = senderOf({ baseUrl: url, apiKey: "" }, seen);
  const check = (text: string) => {
    if (text.length === answerBytes) return;
    throw new WrongAnswerError(`the naive program returned ${text.length} bytes`);
  };
  const get = { method, check };
  const exchange = method === "GET" ? get : { method, check, body: "x".repeat(requestBytes) };
  return measure(loop, seen, async () => {
    const turn = nextNaiveTurn(scenario, { accounts, answerBytes });
    for (const path of turn?.paths ?? []) await send({ ...exchange, path });
    turn?.answered?.();
    return turn !== undefined;
  });
}

async function measure(loop: Loop, seen: Seen, turn: () => Promise<boolean>): Promise<LoadResult> {
  const { latenciesMs, elapsedMs, keptUp }: LoopTimes & { readonly keptUp?: boolean } =
    "perSecond" in loop ? await openLoop(loop, turn) : await closedLoop(loop, turn);
  return {
    requests: latenciesMs.length,
    elapsed_ms: rounded(elapsedMs, 1),
    per_s: rounded((latenciesMs.length * 1_000) / elapsedMs, 1),
    p50_ms: rounded(percentile(latenciesMs, 0.5), 2),
    p99_ms: rounded(percentile(latenciesMs, 0.99), 2),
    unavailable: seen.unavailable,
    sizes: seen.last,
    keptUp: keptUp ?? true,
  };
}

const calls = {
  target,
  run,
  /** Successful executes of a target since it was named. */
  executed: (name: string) => stateOf(name).executed,
  /** Where webhooks are received, and by which process. */
  receiver,
  naive,
};
/** Calls of the load generator. */
export type LoadCalls = typeof calls;
serveCalls(calls);
