import { percentile, rounded } from "../measures/percentile.ts";
import { WrongAnswerError } from "./answers.ts";
import { type ClosedPace, type LoopTimes, type OpenPace, runLoop } from "./loops.ts";
import { type NaiveScenario, nextNaiveTurn } from "./naive/operations.ts";
import { type LoadState, type ScenarioName, scenarios } from "./scenarios.ts";
import { newSeen, type Seen, senderOf } from "./sender.ts";

export type Pace = ClosedPace | OpenPace;

/** The figures of a load. Every response was checked. The sizes are those of the last request. */
export type LoadResult = ReturnType<typeof resultOf> & {
  /** For lifecycles only: the time from the execute to its webhook, without the rail's time. */
  readonly webhook?: ReturnType<typeof percentilesOf> | undefined;
};

/** Runs a scenario. A platform's merchants take turns. */
export async function runLoad(
  state: LoadState,
  scenario: ScenarioName,
  pace: Pace,
): Promise<LoadResult> {
  const seen = newSeen();
  const webhookMs: number[] = [];
  let turns = 0;
  const times = await runLoop(pace, () => {
    const target = state.targets[turns++ % state.targets.length] ?? state.targets[0];
    const send = senderOf(target.baseUrl, target.apiKey, seen);
    return scenarios[scenario]({ state, target, send, webhookMs });
  });
  const webhook = webhookMs.length === 0 ? undefined : percentilesOf(webhookMs);
  return { ...resultOf(times, seen), webhook };
}

type NaiveRun = {
  readonly url: string;
  readonly scenario: NaiveScenario;
  readonly accounts: number;
  readonly sizes: LoadResult["sizes"];
};

/** Sends the naive program requests and responses of the platform's size. */
export async function runNaive({ url, scenario, accounts, sizes }: NaiveRun, pace: Pace) {
  const { isGet, requestBytes, answerBytes } = sizes;
  const seen = newSeen();
  const send = senderOf(url, "", seen);
  const body = isGet ? undefined : "x".repeat(requestBytes);
  const check = (text: string) => {
    if (text.length === answerBytes) return;
    throw new WrongAnswerError(
      `the naive program returned ${text.length} bytes, not ${answerBytes}`,
    );
  };
  const times = await runLoop(pace, async () => {
    const turn = nextNaiveTurn(scenario, { accounts, answerBytes });
    for (const path of turn?.paths ?? []) await send({ path, body, check });
    turn?.answered?.();
    return turn !== undefined;
  });
  return resultOf(times, seen);
}

export function percentilesOf(latenciesMs: readonly number[]) {
  const at = (share: number) => rounded(percentile(latenciesMs, share), 2);
  return { p50_ms: at(0.5), p99_ms: at(0.99) };
}

/** Combines a loop's figures with the answers that its senders received. */
export function resultOf({ samples, elapsedMs, keptUp }: LoopTimes, seen: Seen) {
  return {
    figures: {
      requests: samples.length,
      per_s: rounded((samples.length * 1_000) / elapsedMs, 1),
      ...percentilesOf(samples.map(({ latencyMs }) => latencyMs)),
      /** Answers with status 503, for which the client repeated the request. */
      unavailable: seen.unavailable,
      /** The second half was not slower than the first, and a fixed rate was maintained. */
      kept_up: keptUp,
    },
    elapsedMs,
    sizes: seen.last,
  };
}
