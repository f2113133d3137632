import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "@disburse/chassis/log.ts";
import { durationBuckets, type Metrics } from "@disburse/chassis/metrics.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { Agent, type Dispatcher } from "undici";
import { z } from "zod";
import type { WalletProviderSetting } from "./provider-setting.ts";
import {
  assessedNetworks,
  assessmentOf,
  type Identification,
  queriedAddress,
  type WalletAssessment,
  worstAssessment,
} from "./rules/assessment.ts";
import type { Wallet } from "./rules/wallet.ts";

/** The provider gave no result. The wallet is not cleared, and the caller must retry later. */
export type ProviderUnavailable = Refused<"WALLET_PROVIDER_SILENT">;

/** A source of wallet risk beside the lists. */
export type WalletProvider = {
  assess(network: string, address: string): Promise<WalletAssessment | ProviderUnavailable>;
  close(): Promise<void>;
};

/** The maximum cached responses, a few megabytes. */
const keptMax = 10_000;

/**
 * Creates the provider with a cache. Responses are cached for the configured times. Concurrent
 * equal queries are sent once. After a 429, no query is sent before the time in Retry-After.
 */
export function createWalletProvider(
  setting: WalletProviderSetting,
  { metrics, clock, log }: { metrics: Metrics; clock: Clock; log: Log },
): WalletProvider {
  const http = connectProvider(setting);
  const observed = observedQuery(http, metrics);
  const provider = new URL(setting.url).host;
  const kept = new Map<string, { assessment: WalletAssessment; until: number }>();
  const running = new Map<string, Promise<WalletAssessment | ProviderUnavailable>>();
  let pausedUntil = 0;

  const keep = (address: string, assessment: WalletAssessment): void => {
    const clear = assessment.verdict === "clear";
    const seconds = clear ? setting.clearSeconds : setting.identifiedSeconds;
    const [oldest] = kept.keys();
    if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest);
    kept.set(address, { assessment, until: assessment.asOf.getTime() + seconds * 1_000 });
  };
  const query = async (address: string): Promise<WalletAssessment | ProviderUnavailable> => {
    if (clock.now().getTime() < pausedUntil) return refused("WALLET_PROVIDER_SILENT");
    const response = await observed(address);
    if ("identifications" in response) {
      const assessment = assessmentOf(response.identifications, provider, clock.now());
      keep(address, assessment);
      return assessment;
    }
    const { silence, detail, retryAfterMs } = response;
    if (retryAfterMs !== undefined) pausedUntil = clock.now().getTime() + retryAfterMs;
    log.warn({ silence, detail }, "the wallet risk provider returned no assessment");
    return refused("WALLET_PROVIDER_SILENT");
  };
  return {
    assess: async (network, written) => {
      const address = queriedAddress(network, written);
      const known = kept.get(address);
      if (known !== undefined && clock.now().getTime() < known.until) return known.assessment;
      kept.delete(address);
      const same = running.get(address) ?? query(address).finally(() => running.delete(address));
      running.set(address, same);
      return same;
    },
    close: http.close,
  };
}

function observedQuery({ query }: ProviderHttp, metrics: Metrics): ProviderHttp["query"] {
  const calls = metrics.counter(
    "disburse_wallet_provider_calls_total",
    "Queries to the wallet risk provider, by outcome.",
    ["outcome"],
  );
  const duration = metrics.histogram(
    "disburse_wallet_provider_duration_seconds",
    "Duration of a query to the wallet risk provider, retries included.",
    [],
    durationBuckets,
  );
  return async (address) => {
    const ended = duration.startTimer();
    const response = await query(address);
    ended();
    const identified = "identifications" in response && response.identifications.length > 0;
    const outcome = "silence" in response ? response.silence : identified ? "identified" : "clear";
    calls.inc({ outcome });
    return response;
  };
}

/** Returns the worst assessment of a wallet over all its networks. */
export async function assessWallet(
  { assess }: WalletProvider,
  { networks, families, address }: Wallet & { readonly networks: readonly string[] },
): Promise<WalletAssessment | ProviderUnavailable> {
  const queried = assessedNetworks(networks, families);
  const all = await Promise.all(queried.map((network) => assess(network, address)));
  const silent = all.find((each) => isRefused(each));
  const assessments = all.filter((each): each is WalletAssessment => !isRefused(each));
  return silent ?? worstAssessment(assessments) ?? refused("WALLET_PROVIDER_SILENT");
}

/**
 * The provider's data about an address, or a failure. After a failure the wallet is not cleared.
 */
export type ProviderResponse =
  | { readonly identifications: readonly Identification[] }
  | {
      readonly silence: "timeout" | "unreachable" | "rate_limited" | "error_status" | "malformed";
      /** A status or an error code for the log. It never contains an address. */
      readonly detail: string;
      /** The time to wait before the next query, as the provider requested. */
      readonly retryAfterMs?: number;
    };

/** A provider with the public sanctions-address API: `GET {url}/address/{address}`. */
export type ProviderHttp = {
  readonly query: (address: string) => Promise<ProviderResponse>;
  close(): Promise<void>;
};

/**
 * The maximum connections, enough for a merchant's batch of beneficiaries. Further queries wait.
 */
const connectionsMax = 16;
/**
 * The maximum attempts to connect. A failed connection is safe to retry, because no query was sent.
 */
const triesMax = 3;
const backoffMs = 25;
/**
 * The maximum size of a response. A real one has some identifications of a few hundred characters
 * each.
 */
const responseBytesMax = 65_536;
const identificationsMax = 1_000;
/** The pause after a 429 without Retry-After, and the longest accepted pause. */
const retryAfterDefaultMs = 1_000;
const retryAfterMaxMs = 60_000;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const answerForm = z.object({
  identifications: z
    .array(z.object({ category: z.string().min(1), name: text, url: text }))
    .max(identificationsMax),
});

/** Connects to a provider. A query follows no redirect and reads at most 64 KiB. */
export function connectProvider({
  url,
  apiKey,
  timeoutMs,
}: Pick<WalletProviderSetting, "url" | "apiKey" | "timeoutMs">): ProviderHttp {
  const base = new URL(url);
  const agent = new Agent({
    allowH2: false,
    connections: connectionsMax,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: responseBytesMax,
    pipelining: 1,
  });
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    "x-api-key": apiKey,
  };
  const path = base.pathname.replace(/\/+$/, "");
  const attempt = async (address: string, signal: AbortSignal): Promise<ProviderResponse> => {
    try {
      const response = await agent.request({
        origin: base.origin,
        path: `${path}/address/${encodeURIComponent(address)}`,
        method: "GET",
        headers,
        signal,
      });
      return await readResponse(response);
    } catch (error) {
      return failure(error, signal);
    }
  };
  return {
    query: async (address) => {
      const signal = AbortSignal.timeout(timeoutMs);
      for (let tries = 1; ; tries += 1) {
        const response = await attempt(address, signal);
        const again =
          "silence" in response && response.silence === "unreachable" && tries < triesMax;
        if (!again) return response;
        await wait(backoffMs * tries);
      }
    },
    close: () => agent.destroy(),
  };
}

async function readResponse({
  statusCode,
  headers,
  body,
}: Dispatcher.ResponseData): Promise<ProviderResponse> {
  const detail = String(statusCode);
  if (statusCode !== 200) await body.dump();
  if (statusCode === 429) {
    return { silence: "rate_limited", detail, retryAfterMs: retryAfter(headers["retry-after"]) };
  }
  if (statusCode !== 200) return { silence: "error_status", detail };
  const type = String(headers["content-type"]);
  const bytes = await body.text();
  if (!/^application\/json\b/i.test(type)) return { silence: "malformed", detail: "content type" };
  const parsed = answerForm.safeParse(jsonOf(bytes));
  if (!parsed.success) return { silence: "malformed", detail: "body" };
  return { identifications: parsed.data.identifications };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Reads a Retry-After header in seconds. A date or a missing header counts as one second. */
function retryAfter(header: string | string[] | undefined): number {
  const seconds = /^\d{1,6}$/.test(String(header)) ? Number(header) : 0;
  const ms = seconds === 0 ? retryAfterDefaultMs : seconds * 1_000;
  return Math.min(ms, retryAfterMaxMs);
}

const timedOut = /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/;
/** Error codes for a response that is not HTTP or is too long. */
const wrongResponse = /^(?:HPE_|UND_ERR_(?:RES_|HEADERS_OVERFLOW))/;

function failure(error: unknown, signal: AbortSignal): ProviderResponse {
  const { code = "" } = error as { code?: unknown };
  const detail = String(code);
  if (signal.aborted || timedOut.test(detail)) return { silence: "timeout", detail };
  return { silence: wrongResponse.test(detail) ? "malformed" : "unreachable", detail };
}
