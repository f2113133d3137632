import { randomUUID } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { createKeyedHashes, createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { type EnumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { type Log, silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { migrate } from "@disburse/chassis/mongo/migrations.ts";
import { contentKeyOf, contentPurpose } from "@disburse/chassis/mutations/content.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { NotifierSandboxService } from "@disburse/contracts/disburse/notifier/v1/notifier_sandbox_pb.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { PayoutStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { derivedId, eventId, newId } from "@disburse/kernel/id.ts";
import { namedCallers } from "@disburse/testkit/callers.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll } from "vitest";
import type { Slots } from "./deliveries/rules/fairness.ts";
import { withoutBound } from "./deliveries/rules/order.ts";
import { subscription } from "./events/intake.ts";
import type { MailDelivery } from "./mails/mailer.ts";
import { migrations } from "./migrations.ts";
import type { AddressRules } from "./sender/rules/address.ts";
import type { Outcome } from "./sender/rules/outcome.ts";
import type { Post, PostRequest } from "./sender/sender.ts";
import { createNotifier } from "./wiring.ts";

/** The URL of a test endpoint. No server listens there, because a stand-in replaces the sender. */
export const hookUrl = "http://127.0.0.1:9/hook";
export const encryptionKeys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
export const acknowledged: Outcome = { kind: "answered", statusCode: 200, body: "" };
export const refusedBy = (statusCode: number): Outcome => ({
  kind: "answered",
  statusCode,
  body: "no",
});

export type Posted = PostRequest & { readonly at: Date };

/** The simulated time and network. */
type World = {
  now: Date;
  posted: Posted[];
  answer: (call: Posted) => Outcome | Promise<Outcome>;
};

export type TestNotifierOptions = {
  /** Starts another process with the same data and the same simulated world. */
  readonly beside?: { readonly name: string; readonly world: World };
  readonly policy?: AddressRules["policy"];
  readonly ownNetworks?: AddressRules["ownNetworks"];
  readonly verifyUrls?: boolean;
  readonly slots?: Slots;
  /** The place in the form `host:port`. By default it is unique. */
  readonly place?: string;
  /** The encryption keys. The default is the one key of the tests. */
  readonly encryptionKeys?: string;
  /** Replaces the function that connects to the database. */
  readonly connect?: typeof connectDatabase;
  readonly mails?: MailDelivery;
  readonly log?: Log;
};

export type TestNotifier = Awaited<ReturnType<typeof startTestNotifier>>;

/**
 * Starts a notifier with a real database and simulated time. A stand-in receives its webhooks. Its
 * worker runs only when a test requests it.
 */
export async function startTestNotifier(options: TestNotifierOptions = {}) {
  const name = options.beside?.name ?? freshDatabase("notifier");
  const database = await (options.connect ?? connectDatabase)(mongodbUri(name), name);
  await migrate(database, migrations, silentLog);
  const world: World = options.beside?.world ?? {
    now: new Date("2026-11-20T00:00:00.000Z"),
    posted: [],
    answer: () => acknowledged,
  };
  const clock = { now: () => new Date(world.now) };
  const post: Post = async (request) => {
    const call = { ...request, at: clock.now() };
    world.posted.push(call);
    return world.answer(call);
  };
  const metrics = createMetrics("notifier");
  const ring = options.encryptionKeys ?? encryptionKeys;
  const notifier = createNotifier({
    database,
    post,
    sealer: createSealer(ring),
    keyContent: contentKeyOf(createKeyedHashes(ring, contentPurpose)),
    signatureHeader: "X-SERVICE-Signature",
    policy: options.policy ?? "sandbox",
    ownNetworks: options.ownNetworks,
    verifyUrls: options.verifyUrls ?? false,
    place: options.place ?? randomUUID(),
    clock,
    elapsed: () => world.now.getTime(),
    metrics,
    log: options.log ?? silentLog,
    mails: options.mails,
    ...(options.slots === undefined ? {} : { slots: options.slots }),
  });
  const transport = createRouterTransport(({ service }) => {
    service(NotifierService, notifier.rpc);
    service(NotifierSandboxService, notifier.sandboxRpc);
  }, namedCallers);
  const { dispatcher, deliveries } = notifier;
  const consumer = subscription(notifier, clock.now, silentLog);
  return {
    ...notifier,
    name,
    database,
    world,
    series: metrics.text,
    consume: consumer.handle,
    rpc: createClient(NotifierService, transport),
    sandbox: createClient(NotifierSandboxService, transport),
    /** Runs the worker until nothing is due at the current time. */
    work: async () => {
      do {
        await dispatcher.idle();
        await dispatcher.poll();
      } while ((await dispatcher.round()) > 0);
    },
    advance: (ms: number) => {
      world.now = new Date(world.now.getTime() + ms);
    },
    /** Advances the time to the next due delivery. Returns false if no delivery is pending. */
    advanceToNext: async () => {
      const next = await deliveries.collection.findOne(
        { state: "pending", due_at: { $lt: withoutBound } },
        { sort: { due_at: 1 } },
      );
      if (next?.due_at == null) return false;
      if (next.due_at > world.now) world.now = next.due_at;
      return true;
    },
    close: database.close,
    /** Drops the notifier's database and closes the connection. */
    drop: async (): Promise<void> => {
      await database.db.dropDatabase();
      await database.close();
    },
  };
}

/** Starts one notifier for all tests of a file. It is dropped after them. */
export async function testNotifierOfFile(): Promise<TestNotifier> {
  const notifier = await startTestNotifier();
  afterAll(notifier.drop);
  return notifier;
}

let operations = 0;
/** Builds a mutation with a new operation id. */
export const operation = () => ({ operationId: `op-${++operations}` });

/** Registers an endpoint. Returns its ids and secrets. */
export async function register(
  { rpc }: Pick<TestNotifier, "rpc">,
  merchantId = newId("merchant"),
  url = hookUrl,
) {
  const created = await rpc.createEndpoint({ mutation: operation(), merchantId, url });
  if (created.endpoint === undefined || created.secrets === undefined)
    throw new Error("no endpoint");
  return { merchantId, endpointId: created.endpoint.id, secrets: created.secrets };
}

export type PayoutEventFields = {
  readonly merchantId: string;
  readonly payoutId?: string;
  readonly status?: EnumName<typeof PayoutStatus>;
  readonly version?: number;
};

/** Builds a payout event as the payout service publishes it. */
export function payoutMessage(news: PayoutEventFields): BusMessage & { readonly payoutId: string } {
  const { merchantId, payoutId = newId("payout"), status = "initiated", version = 1 } = news;
  const at = timestampFromDate(new Date("2026-11-20T11:26:00.123Z"));
  const id = eventId(payoutId, version);
  const message = create(PayoutStatusChangedSchema, {
    eventId: id,
    occurredAt: at,
    payout: {
      ...{ id: payoutId, merchantId, version, status: enumValue(PayoutStatus, status) },
      ...{ quoteId: derivedId("quote", payoutId), corridorId: "cor_1", beneficiaryId: "ben_1" },
      ...{ referenceId: "order-7", sourceCurrencyCode: "USD", destinationCurrencyCode: "INR" },
      ...{ sourceAmount: "12.41", receivingAmount: "1000.00" },
      ...{ exchangeRate: "83.1234567891", totalFees: "0.37" },
      ...{ createdAt: at, updatedAt: at },
    },
  });
  const body = toBinary(PayoutStatusChangedSchema, message);
  return { id, key: `payout.${status}`, body, payoutId };
}

/** Returns the code and the message of a refused call. Fails the test if the call succeeds. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const read = readRefusal(error);
  if (read === undefined) throw new Error("not refused", { cause: error });
  return `${read.code} ${read.message}`;
}

export const notFound = "RECORD_NOT_FOUND Unable to find the record requested.";
export const used = "INVALID_REQUEST operation_id: was used with other content";
