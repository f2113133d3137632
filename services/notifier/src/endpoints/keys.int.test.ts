import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import type { EndpointSecrets } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  encryptionKeys,
  operation,
  type Posted,
  refusal,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";
import { createResealing, openSealedKeyStore, openSigners, type SealedKeyStore } from "./keys.ts";
import { interfaceSignature } from "./rules/signature.ts";

let notifier: TestNotifier;
/** The same process after a restart with other settings. */
const restarts: TestNotifier[] = [];

const place = "notifier:8080";
const newer = `k2:${Buffer.alloc(32, 8).toString("base64")}`;

beforeAll(async () => {
  notifier = await startTestNotifier({ place });
});
beforeEach(() => {
  // The standard library reads the wall clock.
  vi.useFakeTimers({ toFake: ["Date"] });
  return () => vi.useRealTimers();
});
afterAll(async () => {
  await notifier.database.db.dropDatabase();
  await Promise.all([notifier, ...restarts].map((each) => each.close()));
});

type Registered = { readonly merchantId: string; readonly endpointId: string };

/** Sends a test event now and returns it. */
async function sent(by: TestNotifier, { merchantId, endpointId }: Registered): Promise<Posted> {
  by.world.posted.length = 0;
  await by.rpc.sendTestEvent({ mutation: operation(), merchantId, endpointId });
  await by.work();
  const [call] = by.world.posted;
  if (call === undefined) throw new Error("nothing was sent");
  return call;
}

/** Checks a webhook as a receiver with this pair of secrets would. */
function found({ headers, body, at }: Posted, { secret, standardSecret }: EndpointSecrets) {
  vi.setSystemTime(at);
  const { data } = JSON.parse(Buffer.from(body).toString());
  const expected = interfaceSignature(data.id, data.status, secret);
  const verify = () => new Webhook(standardSecret).verify(Buffer.from(body).toString(), headers);
  let standard = true;
  try {
    verify();
  } catch {
    standard = false;
  }
  if (headers["X-SERVICE-Signature"] === expected) return standard ? "signed" : "half signed";
  if (headers["X-SERVICE-Signature-Previous"] !== expected)
    return standard ? "half signed" : "none";
  return standard ? "signed before" : "half signed";
}

describe("secrets of an endpoint", () => {
  const rotate = async (of: Registered, terms: object = {}): Promise<EndpointSecrets> => {
    const { secrets } = await notifier.rpc.rotateSecret({ mutation: operation(), ...of, ...terms });
    if (secrets === undefined) throw new Error("no secrets");
    return secrets;
  };
  const activate = (of: Registered) =>
    notifier.rpc.activateSecret({ mutation: operation(), ...of });
  const verdicts = async (of: Registered, ...pairs: EndpointSecrets[]) => {
    const call = await sent(notifier, of);
    return pairs.map((pair) => found(call, pair));
  };

  it("sign for 24 hours after a rotation, to the millisecond", async () => {
    const { secrets: old, ...of } = await register(notifier);
    const fresh = await rotate(of);
    expect(await verdicts(of, fresh, old)).toEqual(["signed", "signed before"]);
    notifier.advance(86_400_000 - 1);
    expect(await verdicts(of, fresh, old)).toEqual(["signed", "signed before"]);
    notifier.advance(1);
    expect(await verdicts(of, fresh, old)).toEqual(["signed", "none"]);
  });

  it("stop signing at once after a leak, as do earlier ones", async () => {
    const { secrets: first, ...of } = await register(notifier);
    const second = await rotate(of);
    const third = await rotate(of, { overlapSeconds: 0 });
    expect(await verdicts(of, third, second, first)).toEqual(["signed", "none", "none"]);
  });

  it("are the last two pairs when two rotations overlap", async () => {
    const { secrets: first, ...of } = await register(notifier);
    const second = await rotate(of, { overlapSeconds: 60 });
    const third = await rotate(of, { overlapSeconds: 30 });
    expect(await verdicts(of, third, second, first)).toEqual(["signed", "signed before", "none"]);
    notifier.advance(30_000);
    expect(await verdicts(of, third, second)).toEqual(["signed", "none"]);
  });

  it("when staged wait for their activation, which starts the overlap", async () => {
    const { secrets: old, ...of } = await register(notifier);
    const dropped = await rotate(of, { stage: true });
    const staged = await rotate(of, { stage: true, overlapSeconds: 60 });
    notifier.advance(30 * 86_400_000);
    expect(await verdicts(of, old, staged, dropped)).toEqual(["signed", "none", "none"]);
    await activate(of);
    notifier.advance(59_999);
    expect(await verdicts(of, staged, old)).toEqual(["signed", "signed before"]);
    notifier.advance(1);
    expect(await verdicts(of, staged, old, dropped)).toEqual(["signed", "none", "none"]);
    expect(await refusal(activate(of))).toBe(
      "STATE_NOT_REACHABLE The endpoint has no staged secret. Stage one first: rotate the secret with `stage`.",
    );
  });
});

describe("the key that seals secrets", () => {
  const resealing = (keys: string, sealedKeys: SealedKeyStore) => {
    const metrics = createMetrics("notifier");
    const sealer = createSealer(keys);
    return { metrics, round: createResealing({ sealedKeys, sealer, metrics, log: silentLog }) };
  };
  const restarted = async (keys: string): Promise<TestNotifier> => {
    const started = await startTestNotifier({ beside: notifier, place, encryptionKeys: keys });
    restarts.push(started);
    return started;
  };
  /** Returns the signing secrets of an endpoint when the older key is retired. */
  const signers = async ({ merchantId, endpointId }: Registered) => {
    const endpoint = await notifier.endpoints.find(merchantId, endpointId);
    if (endpoint === undefined) throw new Error("no endpoint");
    return openSigners(createSealer(newer), endpoint, notifier.world.now);
  };
  const stored = async () => JSON.stringify(await notifier.endpoints.collection.find().toArray());

  it("can be retired once all secrets are resealed, including those of deleted endpoints", async () => {
    const { secrets, ...of } = await register(notifier);
    const deleted = await register(notifier);
    const mutation = operation();
    const rotation = { mutation, merchantId: deleted.merchantId, endpointId: deleted.endpointId };
    const shown = await notifier.rpc.rotateSecret(rotation);
    await notifier.rpc.deleteEndpoint({ ...rotation, mutation: operation() });
    const both = await restarted(`${newer},${encryptionKeys}`);
    expect(found(await sent(both, of), secrets)).toBe("signed");

    const store = openSealedKeyStore(notifier.endpoints);
    const all = await notifier.endpoints.collection.countDocuments();
    const { round, metrics } = resealing(`${newer},${encryptionKeys}`, store);
    expect(await round()).toEqual({ resealed: all, left: 0 });
    expect(await stored()).not.toContain('"k1.');
    expect(await round()).toEqual({ resealed: 0, left: 0 });
    expect(await metrics.text()).toContain(
      'disburse_webhook_endpoints_under_older_keys{service="notifier"} 0',
    );

    // A process that has not restarted since the new key was appended.
    const behind = await restarted(`${encryptionKeys},${newer}`);
    expect(found(await sent(behind, of), secrets)).toBe("signed");
    const retired = await restarted(newer);
    expect(found(await sent(retired, of), secrets)).toBe("signed");
    expect(await retired.rpc.rotateSecret(rotation)).toEqual(shown);
  });

  it("is needed until the next run when a change was faster, whose secrets win", async () => {
    const of = await register(notifier);
    const store = openSealedKeyStore(notifier.endpoints);
    let changed: EndpointSecrets | undefined;
    const raced: SealedKeyStore = {
      ...store,
      rewrite: async (endpoint) => {
        const { merchantId, endpointId } = of;
        const isFirst = endpoint.id === endpointId && changed === undefined;
        const rotation = { mutation: operation(), merchantId, endpointId };
        if (isFirst) changed = (await notifier.rpc.rotateSecret(rotation)).secrets;
        return store.rewrite(endpoint);
      },
    };
    const { round, metrics } = resealing(`${newer},${encryptionKeys}`, raced);
    expect((await round()).left).toBe(1);
    expect(await metrics.text()).toMatch(/under_older_keys\{service="notifier"\} 1/);
    expect(await round()).toEqual({ resealed: 1, left: 0 });
    const { secret, standardSecret } = changed ?? {};
    expect((await signers(of)).current).toEqual({ secret, standardSecret });
  });

  it("when missing, leaves its endpoints unchanged, and the others are resealed", async () => {
    const of = await register(notifier);
    const other = await register(notifier);
    const unknown = { "keys.0.secret": "k3.AAAA" };
    await notifier.endpoints.collection.updateOne({ _id: other.endpointId }, { $set: unknown });
    const store = openSealedKeyStore(notifier.endpoints);
    const { round } = resealing(`${newer},${encryptionKeys}`, store);
    expect(await round()).toEqual({ resealed: 1, left: 1 });
    const kept = await notifier.endpoints.collection.findOne({ _id: other.endpointId });
    expect(kept).toMatchObject({ revision: 1, keys: [{ secret: "k3.AAAA" }] });
    const { secret, standardSecret } = of.secrets;
    expect((await signers(of)).current).toEqual({ secret, standardSecret });
  });
});
