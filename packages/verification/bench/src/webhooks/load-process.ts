/**
 * The process that publishes events as another system does: over the broker, with confirms, again
 * until they come. Forked; of its own, so that neither bench nor receivers make it late.
 */
import { connectAmqpBus } from "@disburse/chassis/amqp/bus.ts";
import type { Bus, BusMessage } from "@disburse/chassis/bus/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { percentile, rounded } from "../percentile.ts";
import { serveCalls } from "./child.ts";
import type { Hook } from "./hook.ts";
import type { Lateness, LoadCalls } from "./load-calls.ts";
import { monotonicMs, untilMs } from "./monotonic-clock.ts";
import { sessionMessage } from "./payment-session.ts";

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

function hookOf(hooks: readonly Hook[], number: number): Hook {
  const hook = hooks[number % hooks.length];
  if (hook === undefined) throw new Error("there is nobody to send to");
  return hook;
}

async function steady(job: LoadCalls["steady"]["job"]): Promise<Lateness> {
  const { run, hooks, startsAtMs, perSecond, count } = job;
  const late: number[] = [];
  const confirms: Promise<void>[] = [];
  let number = 0;
  while (number < count) {
    const now = monotonicMs();
    for (; number < count; number += 1) {
      const dueAt = startsAtMs + (number * 1_000) / perSecond;
      if (dueAt > now) break;
      confirms.push(publish([sessionMessage(run, number, hookOf(hooks, number))]));
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

async function flood(job: LoadCalls["flood"]["job"]): Promise<number> {
  const { run, hooks, count, endsAtMs, ahead } = job;
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
        sessionMessage(run, next + at, hookOf(hooks, next + at)),
      );
      next += length;
      await publish(messages);
    }
  };
  await Promise.all(Array.from({ length: floodBatches }, publisher));
  return next;
}

serveCalls<LoadCalls>({
  connect: async ({ url, namespace }) => {
    bus = await connectAmqpBus({ url, namespace, log: createLog("bench", "error") });
    return undefined;
  },
  steady,
  flood,
  received: (count) => {
    received = count;
    return undefined;
  },
});
