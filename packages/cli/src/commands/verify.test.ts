import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { testWorld } from "../test-world.ts";

const world = testWorld(() => undefined, { environment: { DISBURSE_TOKEN: "" } });
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const { x } = publicKey.export({ format: "jwk" });
const keys = JSON.stringify({ keys: [{ kid: "payout.12345678", kty: "OKP", crv: "Ed25519", x }] });
const server = createServer((request, response) => {
  const isRight = request.url === "/.well-known/disburse-keys.json";
  response.writeHead(isRight ? 200 : 404).end(keys);
}).listen(0, "127.0.0.1");
afterAll(() => {
  server.close();
  world.remove();
});

const text = 'disburse payout receipt 1\n{"ledger":[],"payout_id":"po_1","status":"succeeded"}';
const signature = sign(null, Buffer.from(text), privateKey).toString("base64url");
const receipt = { payout_id: "po_1", status: "succeeded", ledger: [] };
const file = { receipt, key_id: "payout.12345678", signature };
const write = (name: string, content: string) => writeFileSync(join(world.folder, name), content);

it("verifies a receipt without a login, with keys from a file or the platform", async () => {
  write("receipt.json", JSON.stringify({ data: file }));
  expect(await world.run("verify", "receipt.json")).toMatchObject({
    ...{ code: 2, err: expect.stringContaining("disburse-keys.json: cannot be read") },
  });
  write("disburse-keys.json", keys);
  write("mine.json", keys);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const more of [[], ["--keys", "mine.json"], ["--url", url]]) {
    const { code, out, err } = await world.run("verify", "receipt.json", ...more, "--json");
    expect([code, err]).toEqual([0, "receipt.json: the signature is valid\n"]);
    expect(JSON.parse(out)).toEqual(receipt);
  }
});

it.each<[string, string, number, string]>([
  [
    "a receipt that was changed",
    JSON.stringify({ ...file, receipt: { ...receipt, status: "failed" } }),
    1,
    "SIGNATURE_MISMATCH",
  ],
  [
    "a key that is not published",
    JSON.stringify({ ...file, key_id: "payout.other" }),
    1,
    "UNKNOWN_KEY",
  ],
  ["no receipt", "{}", 1, "MALFORMED"],
])("rejects %s", async (_, content, code, word) => {
  write("disburse-keys.json", keys);
  write("changed.json", content);
  const ran = await world.run("verify", "changed.json");
  expect([ran.code, ran.out]).toEqual([code, ""]);
  expect(ran.err).toContain(word);
});

it("names an unreadable file or platform", async () => {
  expect((await world.run("verify", "none.json", "--keys", "mine.json")).code).toBe(2);
  write("empty.json", "[]");
  expect((await world.run("verify", "receipt.json", "--keys", "empty.json")).code).toBe(2);
  expect((await world.run("verify", "receipt.json", "--url", "http://127.0.0.1:1")).code).toBe(5);
  expect((await world.run("verify", "receipt.json", "--url", "here")).code).toBe(2);
});
