import { randomBytes } from "node:crypto";
import { KMSClient } from "@aws-sdk/client-kms";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type KeyProvider, ringProvider, withPrevious } from "./key-provider.ts";
import { kmsProvider } from "./kms-provider.ts";
import { startKms } from "./test-kms.ts";

const ids = ["new", "old"] as const;
const secrets = new Map<string, string>(ids.map((id) => [id, randomBytes(32).toString("base64")]));
const ring = (...of: readonly string[]) => of.map((id) => `${id}:${secrets.get(id)}`).join();

let kms: Awaited<ReturnType<typeof startKms>>;
let client: KMSClient;
beforeAll(async () => {
  kms = await startKms(ids);
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  client = new KMSClient({ endpoint: kms.endpoint, region: "eu-west-1", credentials });
});
afterAll(async () => {
  client.destroy();
  await kms.stop();
});

/** Each kind of provider, before a rotation and after it. */
const kinds: [string, () => KeyProvider, () => KeyProvider][] = [
  ["a ring", () => ringProvider(ring("old")), () => ringProvider(ring("new", "old"))],
  ["AWS KMS", () => kmsProvider(["old"], client), () => kmsProvider(["new", "old"], client)],
  [
    "AWS KMS after a ring",
    () => ringProvider(ring("old")),
    () => withPrevious(ringProvider(ring("old")), kmsProvider(["new"], client)),
  ],
];

describe.each(kinds)("the key provider %s", (_kind, before, rotated) => {
  const key = randomBytes(32);

  it("unwraps its keys only for the same context", async () => {
    const own = rotated();
    const wrapped = await own.wrap(key, "payout|~1");
    expect([own.current, wrapped.keyId]).toEqual(["new", "new"]);
    expect(Buffer.from(wrapped.text, "base64").includes(key)).toBe(false);
    expect(await own.unwrap(wrapped, "payout|~1")).toEqual(key);
    await expect(own.unwrap(wrapped, "payout|~2")).rejects.toThrow();
    await expect(own.unwrap(wrapped, "quote|~1")).rejects.toThrow();
    const text = `${wrapped.text.slice(0, -8)}AAAAAAA=`;
    await expect(own.unwrap({ ...wrapped, text }, "payout|~1")).rejects.toThrow();
  });

  it("is rotated: keys wrapped under the older key open while it is configured", async () => {
    const wrapped = await before().wrap(key, "c");
    const both = rotated();
    expect(["new", "old", "none"].map(both.has)).toEqual([true, true, false]);
    expect(await both.unwrap(wrapped, "c")).toEqual(key);
    expect(before().has("new")).toBe(false);
  });

  it("wraps the same key differently each time", async () => {
    const own = rotated();
    const [one, other] = [await own.wrap(key, "c"), await own.wrap(key, "c")];
    expect(one.text).not.toBe(other.text);
  });
});

it("reports that AWS KMS does not have a key", async () => {
  const provider = kmsProvider(["none"], client);
  await expect(provider.wrap(randomBytes(32), "c")).rejects.toMatchObject({
    name: "NotFoundException",
  });
});
