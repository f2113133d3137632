/**
 * Publishes events as another system does: over the broker, with confirms. Forked, so that the
 * bench and the receivers do not delay it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { connectAmqpBus } from "@disburse/chassis/amqp/bus.ts";
import type { Bus, BusMessage } from "@disburse/chassis/bus/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import type { Secrets } from "@disburse/sandbox/secrets.ts";
import { createTrust } from "@disburse/sandbox/trust.ts";
import { serveCalls } from "../load/child.ts";
import { monotonicMs } from "../load/monotonic-clock.ts";
import { type Endpoint, endpointOf } from "./endpoints.ts";
import { sessionMessage } from "./events.ts";

/** A number of events of a run, for these endpoints in turn. */
type Events = {
  readonly run: string;
  readonly endpoints: readonly Endpoint[];
  readonly count: number;
};

/** Events that are published together if there is no fixed rate. */
const batch = 50;
/** The consumer's queue may not be bound yet, and a broker may refuse for a moment. */
const publishTries = 100;
const retryMs = 100;

let bus: Bus | undefined;

/** Publishes as an outbox does: again until it is confirmed. */
async function publish(messages: readonly BusMessage[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (bus === undefined) throw new Error("not connected");
      return await bus.publish(messages);
    } catch (error) {
      if (tries === publishTries) throw error;
      await pause(retryMs);
    }
  }
}

/** Publishes event n at `startsAtMs + n * 1000 / perSecond`, however late the events before are. */
async function steady(job: Events & { startsAtMs: number; perSecond: number }): Promise<void> {
  const { run, endpoints, startsAtMs, perSecond, count } = job;
  const confirms: Promise<void>[] = [];
  for (let number = 0; number < count; number += 1) {
    const early = startsAtMs + (number * 1_000) / perSecond - monotonicMs();
    if (early > 0) await pause(early);
    confirms.push(publish([sessionMessage({ run, number }, endpointOf(endpoints, number))]));
  }
  await Promise.all(confirms);
}

/** Publishes as fast as the broker takes it. */
async function flood({ run, endpoints, count }: Events): Promise<void> {
  for (let next = 0; next < count; next += batch) {
    const messages = Array.from({ length: Math.min(batch, count - next) }, (_, at) => {
      const number = next + at;
      return sessionMessage({ run, number }, endpointOf(endpoints, number));
    });
    await publish(messages);
  }
}

const calls = {
  connect: async ({ secrets, ...place }: { url: string; namespace: string; secrets: Secrets }) => {
    const own = { service: "sandbox", keys: createTrust(secrets).eventKeys("sandbox") };
    bus = await connectAmqpBus({ ...place, ...own, log: createLog("bench", "error") });
  },
  steady,
  flood,
};
/** Calls of the publishing process. */
export type PublisherCalls = typeof calls;
serveCalls(calls);
