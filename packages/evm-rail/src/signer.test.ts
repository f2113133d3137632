import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { Keystore } from "ox";
import { type Hex, hexToBytes, keccak256, recoverAddress, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openKeystore } from "./keystore.ts";
import type { Signer } from "./signer.ts";
import { openWeb3Signer } from "./web3signer.ts";

const key = generatePrivateKey();
const account = privateKeyToAccount(key);
const other = privateKeyToAccount(generatePrivateKey());
const folder = mkdtempSync(join(tmpdir(), "disburse-signer-"));
const keystoreFile = join(folder, "wallet.json");
const passwordFile = join(folder, "password");
let server: Server;
let url = "";
let isAway = false;

beforeAll(async () => {
  // The fewest rounds that scrypt allows: the test is not about its cost.
  const [derived, options] = Keystore.scrypt({ password: "correct horse", n: 2 });
  writeFileSync(keystoreFile, JSON.stringify(Keystore.encrypt(key, derived, options)));
  writeFileSync(passwordFile, "correct horse\n");
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void answer(request.url ?? "", Buffer.concat(chunks), response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address !== null && typeof address !== "string") url = `http://127.0.0.1:${address.port}`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await new Promise((resolve) => server.close(resolve));
});

/** A public key as Web3Signer lists it: without the prefix of uncompressed keys. */
const listedKey = (publicKey: Hex) => `0x${publicKey.slice(4)}`;

async function answer(
  path: string,
  body: Buffer,
  response: { end(text: string): void; statusCode: number },
): Promise<void> {
  if (isAway) {
    response.statusCode = 503;
    response.end("the vault's password is wrong");
  } else if (path === "/api/v1/eth1/publicKeys") {
    response.end(JSON.stringify([listedKey(other.publicKey), listedKey(account.publicKey)]));
  } else if (path === `/api/v1/eth1/sign/${listedKey(account.publicKey)}`) {
    const { data } = JSON.parse(body.toString()) as { data: Hex };
    response.end(await account.sign({ hash: keccak256(hexToBytes(data)) }));
  } else {
    response.statusCode = 404;
    response.end("");
  }
}

describe.each<[string, () => Promise<Signer> | Signer]>([
  ["a keystore file", () => openKeystore({ keystoreFile, passwordFile }, account.address)],
  ["a remote signer", () => openWeb3Signer(`${url}/`, account.address)],
])("%s", (_what, open) => {
  it("signs the hash of the bytes with the wallet's key", async () => {
    const signer = await open();
    for (const text of ["", "a", "b".repeat(500)]) {
      const unsigned = toHex(text);
      const signature = await signer.sign(unsigned);
      expect(signature).toMatch(/^0x[0-9a-f]{130}$/);
      const signedBy = await recoverAddress({ hash: keccak256(unsigned), signature });
      expect(signedBy).toBe(account.address);
    }
  });
});

describe("a signer does not open", () => {
  it("with a keystore of another wallet", async () => {
    const opening = openKeystore({ keystoreFile, passwordFile }, other.address);
    await expect(opening).rejects.toThrow("contains the key of another wallet");
  });

  it("with another password, and does not show it", async () => {
    const wrong = join(folder, "wrong");
    writeFileSync(wrong, "battery staple");
    const opening = openKeystore({ keystoreFile, passwordFile: wrong }, account.address);
    const error = await opening.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).not.toContain("battery");
  });

  it("with a file that is no keystore", async () => {
    const opening = openKeystore({ keystoreFile: passwordFile, passwordFile }, account.address);
    await expect(opening).rejects.toThrow(SettingsError);
  });

  it("at a server that lacks the key", async () => {
    const other = privateKeyToAccount(generatePrivateKey());
    const signer = openWeb3Signer(url, other.address);
    await expect(signer.check()).rejects.toThrow("does not have the wallet's key");
    await expect(signer.sign("0x00")).rejects.toThrow("does not have the wallet's key");
  });
});

describe("a remote signer", () => {
  it("that is away at the start is called again when it is needed", async () => {
    isAway = true;
    const signer = openWeb3Signer(url, account.address);
    await expect(signer.check()).rejects.toThrow("the signer returned HTTP status 503");
    await expect(signer.sign("0x00")).rejects.toThrow("the signer returned HTTP status 503");
    isAway = false;
    await signer.check();
    expect(await signer.sign("0x00")).toMatch(/^0x[0-9a-f]{130}$/);
  });

  it("throws errors without the text of the signer's response", async () => {
    isAway = true;
    const thrown = await openWeb3Signer(url, account.address).check().catch(String);
    isAway = false;
    expect(thrown).not.toContain("password");
    expect(thrown).not.toContain("127.0.0.1");
  });
});
