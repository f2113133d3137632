/**
 * The process that publishes events as another system does: over the broker, with confirms, again
 * until they come. Forked; of its own, so that neither bench nor receivers make it late.
 */
import { connectAmqpBus } from "@disburse/chassis/amqp/bus.ts";
import type { Bus, BusMessage } from "@disburse/chassis/bus/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import type { Secrets } from "@disburse/sandbox/secrets.ts";
import { createTrust } from "@disburse/sandbox/trust.ts";
import { serveCalls } from "../load/child.ts";
import { percentile, rounded } from "../measures/percentile.ts";
import type { Endpoint } from "./endpoints.ts";
import { sessionMessage } from "./events.ts";
import { monotonicMs, untilMs } from "./monotonic-clock.ts";

/** So many events of a run, for these endpoints in turn. */
type Events = {
  readonly run: string;
  readonly endpoints: readonly Endpoint[];
  readonly count: number;
};

/** How much later than it should have an event was handed to the broker. */
export type Lateness = { readonly lateP99Ms: number; readonly lateMaxMs: number };

/** How many events of a flood are published at a time, and how many such batches side by side. */
const floodBatch = 50;
const floodBatches = 4;
/** The consumer's queue must be bound, and a broker may refuse for a moment. */
const publishTries = 100;
const retryMs = 100;
/** How often a flood that is too far ahead looks again. */
const lookMs = 5;

let bus: Bus | undefined;
let received = 0;

const pause = (ms: number): Promise<void> => untilMs(monotonicMs() + ms);

/** As an outbox does: again until it is confirmed. */
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

function endpointAt(endpoints: readonly Endpoint[], number: number): Endpoint {
  const endpoint = endpoints[number % endpoints.length];
  if (endpoint === undefined) throw new Error("there is no endpoint");
  return endpoint;
}

/** An open loop: event n is published at `startsAtMs + n * 1000 / perSecond`, come what may. */
async function steady(job: Events & { startsAtMs: number; perSecond: number }): Promise<Lateness> {
  const { run, endpoints, startsAtMs, perSecond, count } = job;
  const late: number[] = [];
  const confirms: Promise<void>[] = [];
  let number = 0;
  while (number < count) {
    const now = monotonicMs();
    for (; number < count; number += 1) {
      const dueAt = startsAtMs + (number * 1_000) / perSecond;
      if (dueAt > now) break;
      confirms.push(publish([sessionMessage(run, number, endpointAt(endpoints, number))]));
      late.push(monotonicMs() - dueAt);
    }
    await untilMs(startsAtMs + (number * 1_000) / perSecond);
  }
  await Promise.all(confirms);
  return {
    lateP99Ms: rounded(percentile(late, 0.99), 1),
    lateMaxMs: rounded(Math.max(...late), 1),
  };
}

/** As many as the broker takes, `ahead` of `received` at most; answers how many it confirmed. */
async function flood(job: Events & { endsAtMs: number; ahead: number }): Promise<number> {
  const { run, endpoints, count, endsAtMs, ahead } = job;
  received = 0;
  let next = 0;
  const publisher = async () => {
    while (next < count && monotonicMs() < endsAtMs) {
      if (next - received >= ahead) {
        await pause(lookMs);
        continue;
      }
      const length = Math.min(floodBatch, count - next);
      const messages = Array.from({ length }, (_, at) =>
        sessionMessage(run, next + at, endpointAt(endpoints, next + at)),
      );
      next += length;
      await publish(messages);
    }
  };
  await Promise.all(Array.from({ length: floodBatches }, publisher));
  return next;
}

const calls = {
  connect: async ({ secrets, ...place }: { url: string; namespace: string; secrets: Secrets }) => {
    const own = { service: "sandbox", keys: createTrust(secrets).eventKeys("sandbox") };
    bus = await connectAmqpBus({ ...place, ...own, log: createLog("bench", "error") });
  },
  steady,
  flood,
  /** How many events of the flood have arrived at the receivers. */
  received: (count: number) => {
    received = count;
  },
};
/** What the process that publishes events does for the bench. */
export type PublisherCalls = typeof calls;
serveCalls(calls);
