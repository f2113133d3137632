import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { createWallet } from "@disburse/testkit/created-wallet.ts";
import {
  type Address,
  address,
  createKeyPairFromPrivateKeyBytes,
  getAddressFromPublicKey,
  signatureBytes,
  signBytes,
  verifySignature,
} from "@solana/kit";
import { Keystore } from "ox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openKeystore } from "./keystore.ts";
import { openRemoteSigner } from "./remote-signer.ts";
import type { Signer } from "./signer.ts";

const seed = "5e".repeat(32);
const other = "9hdr8SYDibjubvqvXXymL53a78EFCvq9utaEuEvp2Qsx" as Address;
const folder = mkdtempSync(join(tmpdir(), "disburse-solana-signer-"));
const files = { keystoreFile: join(folder, "wallet.json"), passwordFile: join(folder, "password") };
const message = new TextEncoder().encode("a message");
let keys: Awaited<ReturnType<typeof createKeyPairFromPrivateKeyBytes>>;
let wallet: Address;
let server: Server;
let url = "";
let isAway = false;

beforeAll(async () => {
  keys = await createKeyPairFromPrivateKeyBytes(Buffer.from(seed, "hex"));
  wallet = await getAddressFromPublicKey(keys.publicKey);
  const [derived, options] = Keystore.scrypt({ password: "correct horse", n: 2 });
  writeFileSync(
    files.keystoreFile,
    JSON.stringify(Keystore.encrypt(`0x${seed}`, derived, options)),
  );
  writeFileSync(files.passwordFile, "correct horse\n");
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (isAway) {
      response.statusCode = 503;
      response.end("the vault's password is wrong");
    } else if (request.url === "/api/v1/solana/publicKeys") {
      response.end(JSON.stringify([wallet]));
    } else if (request.url === `/api/v1/solana/sign/${wallet}`) {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: string };
      const signature = await signBytes(keys.privateKey, Buffer.from(data, "base64"));
      response.end(Buffer.from(signature).toString("base64"));
    } else {
      response.statusCode = 404;
      response.end("");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address !== null && typeof address !== "string") url = `http://127.0.0.1:${address.port}`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await new Promise((resolve) => server.close(resolve));
});

describe.each<[string, () => Promise<Signer> | Signer]>([
  ["a keystore file", () => openKeystore(files, wallet)],
  ["a remote signer", () => openRemoteSigner(`${url}/`, wallet)],
])("%s", (_what, open) => {
  it("signs the bytes with the wallet's key", async () => {
    const signer = await open();
    await signer.check();
    const signature = signatureBytes(await signer.sign(message));
    expect(await verifySignature(keys.publicKey, signature, message)).toBe(true);
  });
});

it("does not open a keystore of another wallet", async () => {
  const opening = openKeystore(files, other);
  await expect(opening).rejects.toThrow("contains the key of another wallet");
  await expect(opening).rejects.toThrow(SettingsError);
});

it("does not open a keystore with another password, and does not show it", async () => {
  const passwordFile = join(folder, "wrong");
  writeFileSync(passwordFile, "battery staple");
  const error = await openKeystore({ ...files, passwordFile }, wallet).catch(String);
  expect(error).toContain("SOLANA_CHAINS: password_file");
  expect(error).not.toContain("battery");
});

it("does not open a remote signer without the wallet's key", async () => {
  await expect(openRemoteSigner(url, other).check()).rejects.toThrow(
    "does not have the wallet's key",
  );
});

it("shows nothing of a remote signer's response in an error", async () => {
  isAway = true;
  const signer = openRemoteSigner(url, wallet);
  const errors = [await signer.check().catch(String), await signer.sign(message).catch(String)];
  isAway = false;
  for (const error of errors) {
    expect(error).toContain("HTTP status 503");
    expect(error).not.toContain("password");
  }
});

/** A keystore of full strength takes seconds on a busy machine. */
const strongTimeoutMs = 180_000;

it("opens the wallet that the page on going live creates, which a second run keeps", {
  timeout: strongTimeoutMs,
}, async () => {
  const { printed, run, ...files } = createWallet("@solana/kit");
  expect(statSync(files.keystoreFile).mode & 0o777).toBe(0o600);
  expect(statSync(files.passwordFile).mode & 0o777).toBe(0o600);
  expect(run).toThrow(/EEXIST/);
  await openKeystore(files, address(printed));
});
