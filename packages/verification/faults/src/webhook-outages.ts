import { setTimeout as pause } from "node:timers/promises";
import { connect } from "amqplib";
import type { FaultPlatform } from "./fault-platform.ts";
import { signalFamily } from "./processes.ts";
import type { Stage } from "./stage.ts";
import type { Assertion } from "./verdict.ts";
import type { WebhookHooks } from "./webhook-hooks.ts";
import { createWebhookLoad, type WebhookLoad } from "./webhook-load.ts";
import { judgeWebhooks, type LostCalls, noteLost } from "./webhook-verdict.ts";

/** Something that happens to the notifier or to what it stands on, while events are published. */
type Outage = {
  readonly name: string;
  readonly copiesMax?: number;
  readonly strike: (scene: Scene) => Promise<void>;
};

type Scene = {
  readonly stage: Stage;
  readonly receiver: WebhookHooks;
  readonly load: WebhookLoad;
  readonly lost: LostCalls;
};

/** Load gets going before, and goes on for a while after. */
const aroundMs = 2_000;
const brokerAwayMs = 5_000;
const engineAwayMs = 20_000;
/** Longer than every lease that a hung process could have (services/notifier). */
const hungMs = 40_000;
const duplicatesMs = 10_000;
const killsBeside = 6;
const deadLettersMs = 20_000;

const outages: readonly Outage[] = [
  { name: "broker restarted", strike: ({ stage }) => restart(stage, "broker", brokerAwayMs) },
  { name: "engine away for 20 s", strike: ({ stage }) => restart(stage, "engine", engineAwayMs) },
  {
    name: "duplicates, shuffled",
    copiesMax: 5,
    strike: async ({ stage }) => {
      await pause(duplicatesMs);
      stage.fired("batch of shuffled duplicates");
    },
  },
  { name: "two side by side", strike: besideEachOther },
];

/** Tries each, and judges after each. */
export async function webhookOutages(stage: Stage, receiver: WebhookHooks): Promise<Assertion[]> {
  const { platform, random, say } = stage;
  const assertions: Assertion[] = [];
  for (const { name, copiesMax = 1, strike } of outages) {
    const load = await createWebhookLoad({ platform, receiver, random, copiesMax });
    const lost: LostCalls = new Map();
    load.go();
    await pause(aroundMs);
    await strike({ stage, receiver, load, lost });
    await pause(aroundMs);
    const judged = await judgeWebhooks({ platform, receiver, load }, lost);
    judged.push({ name: "dead letters kept", problems: await missingLetters(platform, load) });
    await load.close();
    say(`${name}: ${load.published.length} events, ${load.unreadable.length} that none can read`);
    assertions.push(...judged.map((each) => ({ ...each, name: `${name}: ${each.name}` })));
  }
  return assertions;
}

async function restart(stage: Stage, name: "broker" | "engine", awayMs: number): Promise<void> {
  const part = stage.ground[name];
  await part.kill();
  stage.fired(`kill ${name}`);
  await pause(awayMs);
  await part.start();
}

/** Two notifiers: one hangs until others have what it had, then each is killed in turn. */
async function besideEachOther({ stage, receiver, load, lost }: Scene): Promise<void> {
  const { platform, random } = stage;
  const scene = { platform, receiver, load };
  const beside = await platform.startBeside("notifier");
  try {
    await pause(aroundMs);
    const pid = platform.pid("notifier");
    signalFamily(pid, "SIGSTOP");
    await noteLost(scene, lost);
    await pause(hungMs);
    signalFamily(pid, "SIGCONT");
    stage.fired("stale notifier");
    await pause(aroundMs);
    for (let at = 0; at < killsBeside; at += 1) {
      const one = at % 2 === 0 ? platform : beside;
      await one.kill("notifier");
      await noteLost(scene, lost);
      await pause(random.below(aroundMs));
      await one.start("notifier");
      stage.fired("kill one of two notifiers");
    }
    await pause(aroundMs);
  } finally {
    await beside.stop();
  }
}

/** Every message that nobody can read stands in the dead letters. */
async function missingLetters(
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
    // What was looked at and not taken goes back.
    await connection.close();
  }
  return missing.size === 0 ? [] : [`${missing.size} of ${unreadable.length} are not there`];
}
