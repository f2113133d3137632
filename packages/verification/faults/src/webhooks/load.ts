import { setTimeout as pause } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { connectAmqpBus } from "@disburse/chassis/amqp/bus.ts";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import type { Random } from "@disburse/harness/random.ts";
import { createLoop } from "@disburse/harness/waiting.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { FaultPlatform } from "../platform.ts";
import { type EndpointKind, endpointKinds, type WebhookReceiver } from "./receiver.ts";

export type Endpoint = {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly path: string;
};

/** An event that the broker has confirmed or will confirm. */
type PublishedEvent = { readonly eventId: string; readonly merchantId: string };

/** Simulates external systems that publish events continuously. */
export type WebhookLoad = Awaited<ReturnType<typeof createWebhookLoad>>;

export type WebhookLoadOptions = {
  readonly platform: FaultPlatform;
  readonly receiver: WebhookReceiver;
  readonly random: Random;
  /**
   * Maximum number of copies of each message. Copies are sent in another order. Defaults to one.
   */
  readonly copiesMax?: number;
  /** Each merchant's endpoints. Defaults to one of each kind. */
  readonly kinds?: readonly EndpointKind[];
  readonly pauseMaxMs?: number;
};

const merchants = 3;
/** Maximum events of a transaction, in one batch, to test ordering. */
const sequenceMax = 3;
const transactionsPerBatch = 3;
const pauseDefaultMs = 100;
const againAfterMs = 100;
/**
 * Limits the pending events. The load continues while deliveries wait, but a crash must still
 * affect recent deliveries.
 */
const aheadMax = 300;
/** One in this many batches has an unreadable message. */
const unreadableEvery = 10;
/** Events of this type keep their data unchanged. */
const transactionType = "refund";

/** Registers endpoints of every kind for some merchants. The load starts idle. */
export async function createWebhookLoad(options: WebhookLoadOptions) {
  const { platform, receiver, random, copiesMax = 1, kinds = endpointKinds } = options;
  const { pauseMaxMs = pauseDefaultMs } = options;
  const endpoints = await registerEndpoints(platform, receiver, kinds);
  const merchantIds = [...new Set(endpoints.map(({ merchantId }) => merchantId))];
  const published: PublishedEvent[] = [];
  const unreadable: string[] = [];
  const log = createLog("faults", "silent");
  const { amqpUrl: url, busNamespace: namespace } = platform.options;
  const endpointsEach = endpoints.length / merchantIds.length;
  const own = { service: "sandbox", keys: platform.trust.eventKeys("sandbox") };
  const bus = await connectAmqpBus({ url, namespace, ...own, log });
  const callsBefore = receiver.calls();

  const batch = (): BusMessage[] => {
    const messages = Array.from({ length: transactionsPerBatch }, () => {
      const merchantId = random.pick(merchantIds);
      return transaction(merchantId, random, published);
    }).flat();
    if (random.below(unreadableEvery) === 0) {
      const id = `unreadable-${crypto.randomUUID()}`;
      unreadable.push(id);
      messages.push({ id, key: "refund.updated", body: Buffer.from("not of the contract") });
    }
    const copies = messages.flatMap((each) =>
      Array.from({ length: 1 + random.below(copiesMax) }, () => each),
    );
    return random.shuffled(copies);
  };
  const publish = async (messages: readonly BusMessage[]): Promise<void> => {
    for (;;) {
      try {
        return await bus.publish(messages);
      } catch {
        // The broker is down or has not confirmed the message. Publish again, as an outbox does.
        await pause(againAfterMs);
      }
    }
  };
  const publishMore = async (): Promise<void> => {
    const ahead = published.length * endpointsEach - (receiver.calls() - callsBefore);
    if (ahead < aheadMax) await publish(batch());
    await pause(random.below(pauseMaxMs));
  };
  return {
    /** `drain` settles when the broker has confirmed all messages that were started. */
    ...createLoop(publishMore, 1),
    endpoints,
    published,
    unreadable,
    close: bus.stop,
  };
}

async function registerEndpoints(
  platform: FaultPlatform,
  receiver: WebhookReceiver,
  kinds: readonly EndpointKind[],
): Promise<Endpoint[]> {
  const merchantIds = Array.from({ length: merchants }, () => newId("merchant"));
  const wanted = merchantIds.flatMap((merchantId) => kinds.map((kind) => [merchantId, kind]));
  const endpoints: Endpoint[] = [];
  for (const [merchantId = "", kind] of wanted) {
    const path = `/${kind}/${merchantId}`;
    const mutation = { operationId: crypto.randomUUID() };
    const request = { mutation, merchantId, url: receiver.url(path) };
    const { endpoint } = await platform.clients.notifier.createEndpoint(request);
    endpoints.push({ merchantId, endpointId: endpoint?.id ?? "", path });
  }
  return endpoints;
}

function transaction(merchantId: string, random: Random, published: PublishedEvent[]) {
  const transactionId = crypto.randomUUID();
  return Array.from({ length: 1 + random.below(sequenceMax) }, (_each, at): BusMessage => {
    const eventId = `${transactionId}:${at + 1}`;
    const data = { id: transactionId, status: `step-${at + 1}`, event: eventId };
    const event = create(MerchantEventSchema, {
      eventId,
      merchantId,
      transactionType,
      transactionId,
      status: data.status,
      sequence: BigInt(at + 1),
      dataJson: JSON.stringify(data),
    });
    published.push({ eventId, merchantId });
    const body = toBinary(MerchantEventSchema, event);
    return { id: eventId, key: `${transactionType}.updated`, body };
  });
}
