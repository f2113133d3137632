import type { Log } from "@disburse/chassis/log.ts";
import { durationBuckets, type Metrics } from "@disburse/chassis/metrics.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { connectProvider, type ProviderHttp } from "./provider-http.ts";
import type { WalletProviderSetting } from "./provider-setting.ts";
import {
  askedAddress,
  assessedNetworks,
  assessmentOf,
  type WalletAssessment,
  worstAssessment,
} from "./rules/assessment.ts";
import type { Wallet } from "./rules/wallet.ts";

/** No answer: what was not assessed is not cleared, and the caller tries again later. */
export type ProviderSilent = Refused<"WALLET_PROVIDER_SILENT">;

/** Somebody who knows wallets beside the lists. */
export type WalletProvider = {
  /** The word on an address of a network. */
  assess(network: string, address: string): Promise<WalletAssessment | ProviderSilent>;
  close(): Promise<void>;
};

export type WalletProviderDeps = {
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** Some megabytes; a process that is asked more often asks the provider again. */
const keptMax = 10_000;

type Kept = { readonly assessment: WalletAssessment; readonly until: number };

/**
 * The provider of a deployment, with a short memory: its answers are kept for as long as the
 * setting says, and equal questions at one time are asked once. It is not asked while it wants to
 * be spared.
 */
export function createWalletProvider(
  setting: WalletProviderSetting,
  { metrics, clock, log }: WalletProviderDeps,
): WalletProvider {
  const http = connectProvider(setting);
  const observed = observedAsk(http, metrics);
  const provider = new URL(setting.url).host;
  const kept = new Map<string, Kept>();
  const running = new Map<string, Promise<WalletAssessment | ProviderSilent>>();
  let sparedUntil = 0;

  const keep = (address: string, assessment: WalletAssessment): void => {
    const clear = assessment.verdict === "clear";
    const seconds = clear ? setting.clearSeconds : setting.identifiedSeconds;
    const [oldest] = kept.keys();
    if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest);
    kept.set(address, { assessment, until: assessment.asOf.getTime() + seconds * 1_000 });
  };
  const ask = async (address: string): Promise<WalletAssessment | ProviderSilent> => {
    if (clock.now().getTime() < sparedUntil) return refused("WALLET_PROVIDER_SILENT");
    const answer = await observed(address);
    if ("identifications" in answer) {
      const assessment = assessmentOf(answer.identifications, provider, clock.now());
      keep(address, assessment);
      return assessment;
    }
    const { silence, detail, retryAfterMs } = answer;
    if (retryAfterMs !== undefined) sparedUntil = clock.now().getTime() + retryAfterMs;
    log.warn({ silence, detail }, "wallet provider gave no answer");
    return refused("WALLET_PROVIDER_SILENT");
  };
  return {
    assess: async (network, written) => {
      const address = askedAddress(network, written);
      const known = kept.get(address);
      if (known !== undefined && clock.now().getTime() < known.until) return known.assessment;
      kept.delete(address);
      const same = running.get(address) ?? ask(address).finally(() => running.delete(address));
      running.set(address, same);
      return same;
    },
    close: http.close,
  };
}

function observedAsk({ ask }: ProviderHttp, metrics: Metrics): ProviderHttp["ask"] {
  const calls = metrics.counter(
    "disburse_wallet_provider_calls_total",
    "Questions to the wallet risk provider, by what came of them.",
    ["outcome"],
  );
  const duration = metrics.histogram(
    "disburse_wallet_provider_duration_seconds",
    "Time of a question to the wallet risk provider, repeats included.",
    [],
    durationBuckets,
  );
  return async (address) => {
    const ended = duration.startTimer();
    const answer = await ask(address);
    ended();
    const identified = "identifications" in answer && answer.identifications.length > 0;
    const outcome = "silence" in answer ? answer.silence : identified ? "identified" : "clear";
    calls.inc({ outcome });
    return answer;
  };
}

/** The worst word on a wallet in all networks that it is asked for. */
export async function assessWallet(
  { assess }: WalletProvider,
  { networks, families, address }: Wallet & { readonly networks: readonly string[] },
): Promise<WalletAssessment | ProviderSilent> {
  const asked = assessedNetworks(networks, families);
  const all = await Promise.all(asked.map((network) => assess(network, address)));
  const words: WalletAssessment[] = [];
  for (const word of all) {
    if (isRefused(word)) return word;
    words.push(word);
  }
  return worstAssessment(words) ?? refused("WALLET_PROVIDER_SILENT");
}
