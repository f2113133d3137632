import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { serveLocally } from "@disburse/harness/local-server.ts";
import type { Verdict } from "@disburse/harness/scenario.ts";
import { until } from "@disburse/harness/waiting.ts";
import { checkDatabase, collectionOf, openerFor } from "@disburse/invariants/database-check.ts";
import { untilQuiet } from "@disburse/invariants/quiet.ts";
import { verdictOf } from "@disburse/invariants/report.ts";
import { encryptionKeysOf } from "@disburse/sandbox/secrets.ts";
import type { FaultPlatform } from "../platform.ts";
import { postUntilAnswered } from "./client.ts";
import type { Load } from "./load.ts";

/** A merchant's endpoint that records received status changes. */
export type WebhookRecorder = Awaited<ReturnType<typeof openWebhookRecorder>>;

/**
 * Time for the platform to become idle after the last fault. Two leases and a retry fit in this
 * time.
 */
const restMs = 120_000;
/** After a wrong clock, the payout service resumes deferred work after ten minutes. */
export const clockRestMs = 720_000;
const repeatsMax = 50;
const shownMax = 5;
const everyMs = 100;

/** A load's clients have the outcome of each of their requests. */
export type CheckedLoad = Pick<Load, "drain" | "accepted" | "unanswered">;

/** Waits until the platform is idle, then checks for lost, duplicate or broken data. */
export async function checkPlatform(
  platform: FaultPlatform,
  load: CheckedLoad,
  recorder: Pick<WebhookRecorder, "received">,
  patienceMs: number = restMs,
): Promise<Verdict[]> {
  await load.drain();
  const ownOpen = { merchant_id: platform.merchantId, status: "initiated" };
  // The platform treats a payout with an unknown outcome as idle. It is resolved later.
  await untilNone(platform, "payouts", ownOpen, patienceMs);
  const busy = await untilQuiet(platform.databases(), patienceMs);
  const unanswered = load.unanswered();
  return [
    { name: "at rest again", problems: busy },
    {
      name: "every call answered",
      problems: unanswered === 0 ? [] : [`${unanswered} calls had no answer in three minutes`],
    },
    { name: "no accepted payout lost", problems: await lostPayouts(platform, load) },
    { name: "every change notified", problems: await missedNotifications(platform, recorder) },
    { name: "the same answer again", problems: await otherAnswers(platform, load) },
    { name: "no service failed by itself", problems: platform.takeFailures() },
    { name: "invariants", problems: await brokenInvariants(platform) },
  ];
}

async function untilNone(
  { databases }: FaultPlatform,
  collection: "payouts" | "deliveries",
  filter: object,
  timeoutMs: number,
): Promise<void> {
  const isNone = async () =>
    (await collectionOf(databases(), collection).countDocuments(filter, { limit: 1 })) === 0;
  await until(isNone, { timeoutMs, everyMs });
}

/** Requires that every accepted payout exists and is final. */
async function lostPayouts(platform: FaultPlatform, { accepted }: CheckedLoad): Promise<string[]> {
  const ended = new Map<string, string>();
  const found = collectionOf(platform.databases(), "payouts").find(
    { merchant_id: platform.merchantId },
    { projection: { status: 1 } },
  );
  for await (const { _id, status } of found) ended.set(_id, status);
  const ids = accepted.map(({ id }) => id);
  const missing = ids.filter((id) => !ended.has(id));
  const open = ids.filter((id) => ended.get(id) === "initiated");
  const twice = ids.length - new Set(ids).size;
  return [
    ...named(missing, "is not there"),
    ...named(open, "has no end"),
    ...(twice === 0 ? [] : [`${twice} payouts were given to two callers`]),
  ];
}

/** Requires that every payout's status changes have reached the merchant's endpoint. */
async function missedNotifications(
  platform: FaultPlatform,
  { received }: Pick<WebhookRecorder, "received">,
): Promise<string[]> {
  const missed: string[] = [];
  const pending = { merchant_id: platform.merchantId, state: "pending" };
  // If a process dies while sending, another process can send the delivery when the lease of 30 s
  // expires.
  await untilNone(platform, "deliveries", pending, restMs);
  const events = collectionOf(platform.databases(), "events").find({
    merchant_id: platform.merchantId,
    transaction_type: "payout_session",
  });
  for await (const { transaction_id, status } of events) {
    if (!received.has(`${transaction_id} ${status}`)) missed.push(`${transaction_id} ${status}`);
  }
  return named(missed, "was never notified");
}

/** Requires that repeated requests return the same bytes and create no second payout. */
async function otherAnswers(platform: FaultPlatform, { accepted }: CheckedLoad): Promise<string[]> {
  const other: string[] = [];
  for (const { id, key, body, text } of accepted.slice(-repeatsMax)) {
    const again = await postUntilAnswered(platform, "/transfer/execute", body, key);
    if (again?.text !== text) other.push(id);
  }
  return named(other, "was answered differently the second time");
}

async function brokenInvariants(platform: FaultPlatform): Promise<string[]> {
  const report = await checkDatabase(platform.databases(), {
    now: new Date(),
    open: await openerFor(
      platform.databases(),
      encryptionKeysOf(platform.secrets, "gateway") ?? "",
    ),
  });
  if (verdictOf(report).failed === 0) return [];
  return report.findings.map((each) => `${each.invariant}: ${each.subject} ${each.detail}`);
}

/** Formats ids with a description. Shows the first five ids and the number of remaining ids. */
export function named(ids: readonly string[], what: string): string[] {
  const shown = ids.slice(0, shownMax).map((id) => `${id} ${what}`);
  const more = ids.length - shownMax;
  return more > 0 ? [...shown, `and ${more} more ${what}`] : shown;
}

type RecorderOptions = {
  /** Fields of the endpoint besides its address. */
  readonly fields?: object;
  /** Called for each call of the endpoint. */
  readonly onCall?: (headers: IncomingHttpHeaders, body: string) => void;
};

/** Opens a local endpoint and registers it with the platform. */
export async function openWebhookRecorder(
  platform: FaultPlatform,
  { fields = {}, onCall = () => undefined }: RecorderOptions = {},
) {
  const received = new Set<string>();
  const { url, close } = await serveLocally(async (request, response) => {
    const body = await text(request);
    const { transaction_id, data } = JSON.parse(body);
    onCall(request.headers, body);
    received.add(`${transaction_id} ${data.status}`);
    response.writeHead(200).end();
  });
  const answer = await postUntilAnswered(platform, "/webhooks/endpoints", { url, ...fields });
  if (answer?.status !== 200)
    throw new Error(`creating a webhook endpoint failed: ${answer?.text}`);
  return {
    /** Each `payout status`, without duplicates. */
    received: received as ReadonlySet<string>,
    close,
  };
}
