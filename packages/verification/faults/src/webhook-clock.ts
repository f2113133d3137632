import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Stage } from "./stage.ts";
import type { Assertion } from "./verdict.ts";
import type { WebhookHooks } from "./webhook-hooks.ts";

const preload = pathToFileURL(join(import.meta.dirname, "clock-preload.ts")).href;
/** Five minutes ahead, then as much behind, and back. */
const environment = { FAULT_CLOCK_MS: "300000", FAULT_CLOCK_EVERY_MS: "700" };
/** The first waits of the schedule (docs/webhooks.md), and how much longer each may be. */
const waitsMs = [5_000, 10_000, 20_000];
const jitterMax = 0.02;
/** Two looks for what is due, and a busy machine. */
const lateMs = 1_500;
/** In this wait the notifier is killed, and comes back with a clock that is right. */
const killedIn = 2;
const askEveryMs = 50;
const giveUpMs = 120_000;

/** The waits of a delivery while the notifier's clock jumps by minutes, and over a restart. */
export async function clockJumps(stage: Stage, receiver: WebhookHooks): Promise<Assertion[]> {
  const { platform } = stage;
  const merchantId = newId("merchant");
  const path = `/never/${merchantId}`;
  await platform.kill("notifier");
  await platform.start("notifier", { preload, environment });
  const { notifier } = platform.clients;
  const mutation = () => serviceMutation("faults", crypto.randomUUID());
  const url = receiver.url(path);
  const { endpoint } = await notifier.createEndpoint({ mutation: mutation(), merchantId, url });
  const owned = { merchantId, endpointId: endpoint?.id ?? "" };
  await notifier.sendTestEvent({ ...owned, mutation: mutation() });
  await untilCalled(receiver, path, killedIn + 1);
  stage.fired("notifier whose clock jumps");
  await pause((waitsMs[killedIn] ?? 0) / 2);
  await platform.kill("notifier");
  await platform.start("notifier");
  await untilCalled(receiver, path, waitsMs.length + 1);
  await notifier.deleteEndpoint({ ...owned, mutation: mutation() });
  return [{ name: "waits double though clocks jump", problems: oddWaits(receiver.times(path)) }];
}

async function untilCalled(receiver: WebhookHooks, path: string, count: number): Promise<void> {
  const giveUpAt = Date.now() + giveUpMs;
  while (receiver.times(path).length < count && Date.now() < giveUpAt) await pause(askEveryMs);
}

/** Waits that are not what the schedule says, in words. */
function oddWaits(calls: readonly number[]): string[] {
  return waitsMs.flatMap((planned, at) => {
    const waited = Math.round((calls[at + 1] ?? Number.NaN) - (calls[at] ?? 0));
    const isRight = waited >= planned - 1 && waited <= planned * (1 + jitterMax) + lateMs;
    return isRight ? [] : [`wait ${at + 1} took ${waited} ms, not ${planned}`];
  });
}
