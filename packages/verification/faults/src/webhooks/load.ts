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

/** A merchant's endpoint, and its path at the receiver. */
export type Endpoint = {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly path: string;
};

/** An event that the broker has confirmed, or will have. */
type PublishedEvent = { readonly eventId: string; readonly merchantId: string };

/** Other systems that publish events over the broker, all the while. */
export type WebhookLoad = Awaited<ReturnType<typeof createWebhookLoad>>;

/** What a webhook load is made with. */
export type WebhookLoadOptions = {
  readonly platform: FaultPlatform;
  readonly receiver: WebhookReceiver;
  readonly random: Random;
  /** Each message is sent this often at most, in another order; once by default. */
  readonly copiesMax?: number;
  /** What endpoints each merchant has; one of each by default. */
  readonly kinds?: readonly EndpointKind[];
  /** The pause between two batches, at most. */
  readonly pauseMaxMs?: number;
};

const merchants = 3;
/** A transaction has up to this many events, in one batch, so that order has work. */
const sequenceMax = 3;
const transactionsPerBatch = 3;
const pauseDefaultMs = 100;
const againAfterMs = 100;
/** The load goes on while deliveries wait, but not so far that a crash finds nothing fresh. */
const aheadMax = 300;
/** One batch in so many has an unreadable message. */
const unreadableEvery = 10;
/** Its data goes out as it was given. */
const transactionType = "refund";

/** Registers endpoints of every kind for each of some merchants, and makes a load that rests. */
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
        // The broker is away, or has not confirmed: an outbox publishes again.
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
    /** `drain` settles when everything that was begun is confirmed by the broker. */
    ...createLoop(publishMore, 1),
    endpoints,
    published,
    /** Ids of unreadable messages. */
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

/** Messages of one transaction, numbered from 1. */
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
