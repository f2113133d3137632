import { withCallContext } from "@disburse/chassis/call-context.ts";
import { newId } from "@disburse/kernel/id.ts";
import { changesOf } from "@disburse/testkit/document-text.ts";
import { beforeEach, expect, it } from "vitest";
import {
  acknowledged,
  hookUrl,
  operation,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "./test-notifier.ts";

/** Shows each document whole when it changes, so that an unexpected change fails the test. */

const start = new Date("2026-11-20T00:00:00.000Z");
let notifier: TestNotifier;
let written: () => Promise<string>;

beforeEach(async () => {
  notifier = await startTestNotifier({ place: "first:8080", verifyUrls: true });
  written = reader(notifier);
  return notifier.drop;
});

/** Collections of leases, operations and migrations, which other tests cover. */
const elsewhere = new Set(["operations", "shards", "workers", "leases", "schema_migrations"]);

type Stored = Record<string, unknown>;

/** Reads the fields that changed in each document since the previous call. */
function reader({ database: { db } }: TestNotifier) {
  let before = new Map<string, Stored>();
  const names = new Map<string, string>();
  /** Numbers ids in the order of their appearance. */
  const named = (id: string) => {
    const [, prefix = "id"] = /^([a-z]+)[_-]/.exec(id) ?? [];
    const count = [...names.values()].filter((each) => each.startsWith(`${prefix} `)).length;
    if (!names.has(id)) names.set(id, `${prefix} ${count + 1}`);
    return names.get(id) ?? "";
  };
  const time = (at: Date) => `${(at.getTime() - start.getTime()) / 1_000} s`;
  const ids =
    /\b[a-z]+_[0-9a-hjkmnp-tv-z]{26}(?:_\d+)?\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\bop-\d+/g;
  return async () => {
    const collections = (await db.collections())
      .map((each) => each.collectionName)
      .filter((name) => !elsewhere.has(name))
      .toSorted();
    const after = new Map<string, Stored>();
    for (const name of collections) {
      const found = db.collection(name).find().sort({ created_at: 1, sequence: 1, endpoint_id: 1 });
      for await (const each of found) after.set(`${name} ${each._id}`, each);
    }
    const lines = [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
      if (!after.has(key)) return [`no ${key}`];
      const changed = changesOf(before.get(key), after.get(key), time);
      return changed.length === 0 ? [] : [key, ...changed.map((line) => `  ${line}`)];
    });
    before = after;
    return (
      lines
        .join("\n")
        .replaceAll(ids, named)
        .replaceAll(/k1\.[\w-]{40,}/g, "sealed")
        // Values derived from an endpoint's id.
        .replaceAll(/(jitter|shard) = [\d.]+/g, "$1 = …")
        // Whole seconds, because the fractions are jitter and sometimes zero.
        .replaceAll(/(due_at|next_attempt_at) = (\d+)\.\d+ s/g, "$1 = $2 s")
    );
  };
}

/** Sends due deliveries, and saves the endpoints' health. */
async function worked() {
  await notifier.work();
  await notifier.dispatcher.saveHealth();
}

it("an endpoint that is verified, changed, paused, given another secret and deleted", async () => {
  const { merchantId, endpointId } = await register(notifier);
  const of = () => ({ mutation: operation(), merchantId, endpointId });
  expect(await written()).toMatchInlineSnapshot(`
    "endpoints whe 1
      _id = whe 1
      created_at = 0 s
      created_by = { kind service, id test }
      deleted_at = null
      description = 
      event_types = [*]
      keys = [{ id id 1, secret sealed, standard_secret sealed, made_at 0 s }]
      merchant_id = mer 1
      operations = [{ id op 1, kind create, key_id id 1, actor { kind service, id test }, at 0 s }]
      order = bounded
      paused_at = null
      paused_for = null
      paused_ms = null
      pending_url = null
      place = 0
      resumed_at = null
      revision = 1
      schema_version = 1
      signing = { current id 1, previous null, staged null }
      updated_at = 0 s
      url = http://127.0.0.1:9/hook
      verified_at = null"
  `);
  await notifier.rpc.verifyEndpoint(of());
  expect(await written()).toMatchInlineSnapshot(`
    "endpoints whe 1
      operations + { id op 2, kind verify, key_id null, before { verified_at null }, actor { kind service, id test }, at 0 s }
      revision = 2
      verified_at = 0 s
    endpoint_challenges whe 1
      _id = whe 1
      free_at = 5 s
      schema_version = 1
      token = id 2
    endpoint_challenges mer 1 127.0.0.1
      _id = mer 1 127.0.0.1
      free_at = 5 s
      schema_version = 1
      token = id 2"
  `);
  notifier.advance(1_000);
  const change = { description: "shop", eventTypes: ["refund"], order: "strict" };
  await notifier.rpc.updateEndpoint({ ...of(), ...change, url: `${hookUrl}2` });
  expect(await written()).toMatchInlineSnapshot(`
    "endpoints whe 1
      description = shop
      event_types = [refund]
      operations + { id op 3, kind update, key_id null, before { description , order bounded, event_types [*], pending_url null }, actor { kind service, id test }, at 1 s }
      order = strict
      pending_url = http://127.0.0.1:9/hook2
      revision = 3
      updated_at = 1 s"
  `);
  notifier.advance(1_000);
  await notifier.rpc.pauseEndpoint(of());
  await notifier.rpc.rotateSecret({ ...of(), overlapSeconds: 60, stage: true });
  expect(await written()).toMatchInlineSnapshot(`
    "endpoints whe 1
      keys + { id id 3, secret sealed, standard_secret sealed, made_at 2 s }
      operations + { id op 4, kind pause, key_id null, before { paused_at null, paused_for null }, actor { kind service, id test }, at 2 s }, { id op 5, kind rotate, key_id id 3, actor { kind service, id test }, at 2 s }
      paused_at = 2 s
      paused_for = requested
      revision = 5
      signing = { current id 1, previous null, staged { key_id id 3, overlap_seconds 60 } }
      updated_at = 2 s"
  `);
  notifier.advance(1_000);
  await notifier.rpc.activateSecret(of());
  expect(await written()).toMatchInlineSnapshot(`
    "endpoints whe 1
      operations + { id op 6, kind activate, key_id null, actor { kind service, id test }, at 3 s }
      revision = 6
      signing = { current id 3, previous { key_id id 1, until 63 s }, staged null }
      updated_at = 3 s"
  `);
  notifier.advance(1_000);
  await notifier.rpc.deleteEndpoint(of());
  expect(await written()).toMatchInlineSnapshot(`
    "no endpoint_challenges whe 1
    endpoints whe 1
      deleted_at = 4 s
      operations + { id op 7, kind delete, key_id null, actor { kind service, id test }, at 4 s }
      no place
      revision = 7
      updated_at = 4 s
    endpoint_health whe 1
      _id = whe 1
      deleted_at = 4 s
      schema_version = 1"
  `);
});

it("a delivery that is refused, then taken, and sent once more", async () => {
  const { merchantId, endpointId } = await register(notifier);
  await notifier.rpc.verifyEndpoint({ mutation: operation(), merchantId, endpointId });
  await worked();
  await written();
  const payoutId = newId("payout");
  notifier.advance(1_000);
  notifier.world.answer = () => {
    notifier.advance(100);
    return refusedBy(500);
  };
  await notifier.consume([payoutMessage({ merchantId, payoutId })]);
  await worked();
  expect(await written()).toMatchInlineSnapshot(`
    "deliveries whd 1
      _id = whd 1
      attempts = [{ number 1, started_at 1 s, duration_ms 100, status_code 500, error , response_body no }]
      attempts_count = 1
      body = …
      created_at = 1 s
      deadline = 86401 s
      due_at = 6 s
      endpoint_id = whe 1
      event_id = evt 1
      held = false
      jitter = …
      lease = null
      line = whe 1/payout_session/po 1
      merchant_id = mer 1
      next_attempt_at = 6 s
      order = bounded
      replay = 0
      schema_version = 1
      sequence = 1
      state = pending
      status = initiated
      transaction_id = po 1
      transaction_type = payout_session
      updated_at = 1.1 s
    endpoint_health whe 1
      _id = whe 1
      circuit = closed
      concurrency_limit = 4
      consecutive_failures = 1
      failing_days = 1
      failing_since = 1.1 s
      last_delivered_at = null
      last_failed_at = 1.1 s
      last_failure = 500
      schema_version = 1
      shard = …
    events mer 1/evt 1
      _id = mer 1/evt 1
      body = …
      endpoint_ids = [whe 1]
      event_id = evt 1
      expires_at = 7776001 s
      merchant_id = mer 1
      occurred_at = 41160.123 s
      received_at = 1 s
      schema_version = 1
      sequence = 1
      status = initiated
      transaction_id = po 1
      transaction_type = payout_session"
  `);
  notifier.world.answer = () => acknowledged;
  notifier.advance(10_000);
  await worked();
  expect(await written()).toMatchInlineSnapshot(`
    "deliveries whd 1
      attempts + { number 2, started_at 11.1 s, duration_ms 0, status_code 200, error , response_body  }
      attempts_count = 2
      due_at = null
      expires_at = 2592011.1 s
      next_attempt_at = null
      state = delivered
      updated_at = 11.1 s
    endpoint_health whe 1
      concurrency_limit = 5
      consecutive_failures = 0
      failing_days = 0
      failing_since = null
      last_delivered_at = 11.1 s"
  `);
  const { deliveries } = await notifier.rpc.listDeliveries({ merchantId });
  const deliveryId = deliveries[0]?.id ?? "";
  const again = { mutation: operation(), merchantId, deliveryId };
  await withCallContext({ requestId: "req-again" }, () => notifier.rpc.redeliver(again));
  expect(await written()).toMatchInlineSnapshot(`
    "deliveries whd 2
      _id = whd 2
      actor = { kind service, id test }
      attempts = []
      attempts_count = 0
      body = …
      created_at = 11.1 s
      deadline = null
      due_at = 11 s
      endpoint_id = whe 1
      event_id = evt 1
      held = false
      jitter = …
      lease = null
      line = whe 1/payout_session/po 1
      merchant_id = mer 1
      next_attempt_at = 11 s
      operation_id = op 3
      replay = 1
      request_id = req-again
      schema_version = 1
      sequence = 1
      state = pending
      status = initiated
      transaction_id = po 1
      transaction_type = payout_session
      updated_at = 11.1 s"
  `);
});

it("deliveries that wait for the event before, and are cancelled", async () => {
  const { merchantId, endpointId } = await register(notifier);
  const order = "strict";
  const of = { mutation: operation(), merchantId, url: `${hookUrl}2`, order };
  // Ids created at the same time have no order.
  notifier.advance(1_000);
  const strict = await notifier.rpc.createEndpoint(of);
  for (const id of [endpointId, strict.endpoint?.id ?? ""]) {
    notifier.advance(5_000);
    await notifier.rpc.verifyEndpoint({ mutation: operation(), merchantId, endpointId: id });
  }
  await worked();
  await written();
  const payoutId = newId("payout");
  const paid = { merchantId, payoutId, status: "succeeded", version: 2 } as const;
  await notifier.consume([payoutMessage(paid)]);
  expect(await written()).toMatchInlineSnapshot(`
    "deliveries whd 1
      _id = whd 1
      attempts = []
      attempts_count = 0
      body = …
      created_at = 11 s
      deadline = null
      due_at = 41 s
      endpoint_id = whe 1
      event_id = evt 1
      held = true
      jitter = …
      lease = null
      line = whe 1/payout_session/po 1
      merchant_id = mer 1
      next_attempt_at = 41 s
      order = bounded
      replay = 0
      schema_version = 1
      sequence = 2
      state = pending
      status = succeeded
      transaction_id = po 1
      transaction_type = payout_session
      updated_at = 11 s
    deliveries whd 2
      _id = whd 2
      attempts = []
      attempts_count = 0
      body = …
      created_at = 11 s
      deadline = null
      due_at = 251607081600 s
      endpoint_id = whe 2
      event_id = evt 1
      held = true
      jitter = …
      lease = null
      line = whe 2/payout_session/po 1
      merchant_id = mer 1
      next_attempt_at = null
      order = strict
      recheck_at = 41 s
      replay = 0
      schema_version = 1
      sequence = 2
      state = pending
      status = succeeded
      transaction_id = po 1
      transaction_type = payout_session
      updated_at = 11 s
    events mer 1/evt 1
      _id = mer 1/evt 1
      body = …
      endpoint_ids = [whe 1, whe 2]
      event_id = evt 1
      expires_at = 7776011 s
      merchant_id = mer 1
      occurred_at = 41160.123 s
      received_at = 11 s
      schema_version = 1
      sequence = 2
      status = succeeded
      transaction_id = po 1
      transaction_type = payout_session"
  `);
  await worked();
  notifier.advance(30_000);
  notifier.world.answer = () => refusedBy(410);
  await worked();
  expect(await written()).toMatchInlineSnapshot(`
    "deliveries whd 1
      attempts + { number 1, started_at 41 s, duration_ms 0, status_code 410, error , response_body no }
      attempts_count = 1
      deadline = 86441 s
      due_at = 46 s
      held = false
      next_attempt_at = 46 s
      updated_at = 41 s
    endpoint_health whe 1
      _id = whe 1
      circuit = closed
      concurrency_limit = 4
      consecutive_failures = 1
      failing_days = 1
      failing_since = 41 s
      last_delivered_at = null
      last_failed_at = 41 s
      last_failure = 410
      schema_version = 1
      shard = …"
  `);
  await notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
  expect(await written()).toMatchInlineSnapshot(`
    "deliveries whd 1
      due_at = null
      expires_at = 2592041 s
      next_attempt_at = null
      state = cancelled
    no endpoint_challenges whe 1
    endpoint_health whe 1
      no circuit
      no concurrency_limit
      no consecutive_failures
      deleted_at = 41 s
      no failing_days
      no failing_since
      no last_delivered_at
      no last_failed_at
      no last_failure
      no shard
    endpoints whe 1
      deleted_at = 41 s
      operations + { id op 5, kind delete, key_id null, actor { kind service, id test }, at 41 s }
      no place
      revision = 3
      updated_at = 41 s"
  `);
});

it("a replay that is made, works and ends, another one that is cancelled, and a feed", async () => {
  const { merchantId, endpointId } = await register(notifier);
  await notifier.rpc.verifyEndpoint({ mutation: operation(), merchantId, endpointId });
  for (const _payout of [1, 2]) {
    await notifier.consume([payoutMessage({ merchantId })]);
    notifier.advance(1_000);
  }
  await worked();
  await written();
  const terms = {
    ...{ merchantId, endpointId, ratePerSecond: 1, states: ["delivered"] },
    ...{ since: start.toISOString(), until: notifier.world.now.toISOString() },
  };
  await notifier.rpc.createReplay({ mutation: operation(), ...terms });
  expect(await written()).toMatchInlineSnapshot(`
    "replays whr 1
      _id = whr 1
      actor = { kind service, id test }
      created_at = 2 s
      cursor = null
      due_at = 2 s
      endpoint_id = whe 1
      lease = null
      merchant_id = mer 1
      operation_id = op 3
      queued_count = 0
      rate = 1
      schema_version = 1
      since = 0 s
      state = running
      states = [delivered]
      total = 2
      total_capped = false
      until = 2 s
      updated_at = 2 s"
  `);
  await notifier.replayer.round();
  expect(await written()).toMatchInlineSnapshot(`
    "replays whr 1
      cursor = { at 0 s, id whd 1 }
      due_at = 3 s
      queued_count = 1
    deliveries whd 3
      _id = whd 3
      actor = { kind service, id test }
      attempts = []
      attempts_count = 0
      body = …
      created_at = 2 s
      deadline = null
      due_at = 2 s
      endpoint_id = whe 1
      event_id = evt 1
      held = false
      jitter = …
      lease = null
      line = whe 1/payout_session/po 1
      merchant_id = mer 1
      next_attempt_at = 2 s
      operation_id = whr 1/whd 1
      replay = 1
      schema_version = 1
      sequence = 1
      state = pending
      status = initiated
      transaction_id = po 1
      transaction_type = payout_session
      updated_at = 2 s"
  `);
  notifier.advance(1_000);
  await notifier.replayer.round();
  await written();
  notifier.advance(1_000);
  await notifier.replayer.round();
  expect(await written()).toMatchInlineSnapshot(`
    "replays whr 1
      due_at = null
      expires_at = 2592004 s
      state = done
      updated_at = 4 s"
  `);
  const { replay } = await notifier.rpc.createReplay({ mutation: operation(), ...terms });
  await written();
  notifier.advance(1_000);
  const cancelling = { mutation: operation(), merchantId, replayId: replay?.id ?? "" };
  await notifier.rpc.cancelReplay(cancelling);
  expect(await written()).toMatchInlineSnapshot(`
    "replays whr 2
      cancelled_by = { operation_id op 5, actor { kind service, id test } }
      due_at = null
      expires_at = 2592005 s
      state = cancelled
      updated_at = 5 s"
  `);
  await notifier.rpc.listEvents({ merchantId });
  expect(await written()).toMatchInlineSnapshot(`
    "events mer 1/evt 1
      position = 1
    events mer 1/evt 2
      position = 2
    feeds mer 1
      _id = mer 1
      next = 3
      schema_version = 1"
  `);
});
