import { setTimeout as pause } from "node:timers/promises";
import { say } from "@disburse/harness/command-line.ts";
import type { Verdict } from "@disburse/harness/scenario.ts";
import { until } from "@disburse/harness/waiting.ts";
import { newId } from "@disburse/kernel/id.ts";
import { connect } from "amqplib";
import { signalFamily } from "../backends/process-family.ts";
import type { FaultContext } from "../context.ts";
import type { FaultPlatform } from "../platform.ts";
import { checkWebhooks, noteUnrecorded, type UnrecordedCalls } from "./checks.ts";
import { createWebhookLoad, type WebhookLoad } from "./load.ts";
import type { WebhookReceiver } from "./receiver.ts";

/** A fault of the notifier or of a dependency while events are published. */
type Outage = {
  readonly name: string;
  readonly copiesMax?: number;
  readonly strike: (scenario: OutageScenario) => Promise<void>;
};

type OutageScenario = {
  readonly context: FaultContext;
  readonly receiver: WebhookReceiver;
  readonly load: WebhookLoad;
  readonly unrecorded: UnrecordedCalls;
};

/** The load runs this long before and after. */
const aroundMs = 2_000;
const brokerAwayMs = 5_000;
const engineAwayMs = 20_000;
/** Duration of a hang. Longer than every lease that a hung notifier may hold. */
const hungMs = 40_000;
const duplicatesMs = 10_000;
const killsBeside = 6;
const deadLettersMs = 20_000;

const outages: readonly Outage[] = [
  { name: "broker restarted", strike: ({ context }) => restart(context, "broker", brokerAwayMs) },
  {
    name: "engine away for 20 s",
    strike: ({ context }) => restart(context, "engine", engineAwayMs),
  },
  {
    name: "duplicates, shuffled",
    copiesMax: 5,
    strike: async ({ context }) => {
      await pause(duplicatesMs);
      context.fired("batch of shuffled duplicates");
    },
  },
  { name: "two side by side", strike: besideEachOther },
];

export async function webhookOutages(
  context: FaultContext,
  receiver: WebhookReceiver,
): Promise<Verdict[]> {
  const { platform, random } = context;
  const assertions: Verdict[] = [];
  for (const { name, copiesMax = 1, strike } of outages) {
    const load = await createWebhookLoad({ platform, receiver, random, copiesMax });
    const unrecorded: UnrecordedCalls = new Map();
    load.start();
    await pause(aroundMs);
    await strike({ context, receiver, load, unrecorded });
    await pause(aroundMs);
    const own = await checkWebhooks({ platform, receiver, load }, unrecorded);
    own.push({
      name: "dead-letter queue is complete",
      problems: await missingDeadLetters(platform, load),
    });
    await load.close();
    say(`${name}: ${load.published.length} events, ${load.unreadable.length} unreadable`);
    assertions.push(...own.map((each) => ({ ...each, name: `${name}: ${each.name}` })));
  }
  return assertions;
}

async function restart(
  context: FaultContext,
  name: "broker" | "engine",
  awayMs: number,
): Promise<void> {
  const backend = context.backends[name];
  await backend.kill();
  context.fired(`kill ${name}`);
  await pause(awayMs);
  await backend.start();
}

/**
 * Runs two notifiers: one hangs until others have taken over its leases. Then each is killed in
 * turn.
 */
async function besideEachOther(outage: OutageScenario): Promise<void> {
  const { context, receiver, load, unrecorded } = outage;
  const { platform, random } = context;
  const scenario = { platform, receiver, load };
  const beside = await platform.startBeside("notifier");
  try {
    await pause(aroundMs);
    const pid = platform.pid("notifier");
    signalFamily(pid, "SIGSTOP");
    await noteUnrecorded(scenario, unrecorded);
    await pause(hungMs);
    signalFamily(pid, "SIGCONT");
    context.fired("stale notifier");
    await pause(aroundMs);
    for (let at = 0; at < killsBeside; at += 1) {
      const one = at % 2 === 0 ? platform : beside;
      await one.kill("notifier");
      await noteUnrecorded(scenario, unrecorded);
      await pause(random.below(aroundMs));
      await one.start("notifier");
      context.fired("kill one of two notifiers");
    }
    await pause(aroundMs);
  } finally {
    await beside.stop();
  }
}

/** Requires that every unreadable message is in the dead-letter queue. */
async function missingDeadLetters(
  { options: { amqpUrl, busNamespace } }: FaultPlatform,
  { unreadable }: WebhookLoad,
): Promise<string[]> {
  const missing = new Set(unreadable);
  const giveUpAt = Date.now() + deadLettersMs;
  while (missing.size > 0 && Date.now() < giveUpAt) {
    const connection = await connect(amqpUrl);
    const channel = await connection.createChannel();
    const queue = `${busNamespace}.notifier.dead`;
    for (;;) {
      const message = await channel.get(queue);
      if (message === false) break;
      missing.delete(String(message.properties.messageId));
    }
    // Closing the connection requeues the messages that were read but not acknowledged.
    await connection.close();
  }
  return missing.size === 0 ? [] : [`${missing.size} of ${unreadable.length} are not there`];
}

const preload = new URL("../kinds/clock-preload.ts", import.meta.url).href;
/** The clock alternates between five minutes ahead and five minutes behind. */
const environment = { FAULT_CLOCK_MS: "300000", FAULT_CLOCK_EVERY_MS: "700" };
/** The schedule's first delays (docs/reference/webhooks.md), and the tolerance for each. */
const waitsMs = [5_000, 10_000, 20_000];
const jitterMax = 0.02;
/** Two polls for due deliveries, on a busy machine. */
const lateMs = 1_500;
/**
 * The number of the delay, from 0, during which the notifier is killed and restarted with the right
 * clock.
 */
const killedIn = 2;
const calling = { timeoutMs: 120_000, everyMs: 50 };

/**
 * Checks the delays between a delivery's attempts, while the notifier's clock jumps by minutes and
 * over a restart.
 */
export async function clockJumps(
  context: FaultContext,
  receiver: WebhookReceiver,
): Promise<Verdict[]> {
  const { platform } = context;
  const merchantId = newId("merchant");
  const path = `/never/${merchantId}`;
  await platform.kill("notifier");
  await platform.start("notifier", { preload, environment });
  const { notifier } = platform.clients;
  const mutation = () => ({ operationId: crypto.randomUUID() });
  const url = receiver.url(path);
  const { endpoint } = await notifier.createEndpoint({ mutation: mutation(), merchantId, url });
  const owned = { merchantId, endpointId: endpoint?.id ?? "" };
  await notifier.sendTestEvent({ ...owned, mutation: mutation() });
  const untilCalled = (count: number) => until(() => receiver.times(path).length >= count, calling);
  await untilCalled(killedIn + 1);
  context.fired("notifier whose clock jumps");
  await pause((waitsMs[killedIn] ?? 0) / 2);
  await platform.kill("notifier");
  await platform.start("notifier");
  await untilCalled(waitsMs.length + 1);
  await notifier.deleteEndpoint({ ...owned, mutation: mutation() });
  return [{ name: "waits double though clocks jump", problems: oddWaits(receiver.times(path)) }];
}

/** Describes delays that don't match the schedule. */
function oddWaits(calls: readonly number[]): string[] {
  return waitsMs.flatMap((planned, at) => {
    const waited = Math.round((calls[at + 1] ?? Number.NaN) - (calls[at] ?? 0));
    const isRight = waited >= planned - 1 && waited <= planned * (1 + jitterMax) + lateMs;
    return isRight ? [] : [`wait ${at + 1} took ${waited} ms, not ${planned}`];
  });
}
