import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type ReceiptKeys,
  ReceiptVerificationError,
  verifyReceipt,
} from "@disburse/sdk/verify-receipt.ts";
import { CommandError, usageError } from "../output/failure.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

/** The path of the platform's published keys. */
const wellKnown = "/.well-known/disburse-keys.json";
const timeoutMs = 10_000;
/** The file with the keys if neither --keys nor --url is given. */
const keysFile = "disburse-keys.json";

async function verify(invocation: Invocation): Promise<void> {
  const path = invocation.text("<file>") ?? "";
  const keys = await keysOf(invocation);
  const text = await fileText(invocation, path);
  try {
    const receipt = verifyReceipt(text, keys);
    invocation.record({ ...receipt, ledger: receipt.ledger.map((entry) => ({ ...entry })) });
    invocation.note(`${path}: the signature is valid`);
  } catch (error) {
    if (!(error instanceof ReceiptVerificationError)) throw error;
    throw new CommandError(error.message, { exit: "failed", code: error.code, cause: error });
  }
}

async function keysOf(invocation: Invocation): Promise<ReceiptKeys> {
  const [path, url] = [invocation.text("--keys"), invocation.text("--url")];
  if (path !== undefined && url !== undefined) {
    throw usageError("--keys and --url exclude each other");
  }
  const text =
    url === undefined ? await fileText(invocation, path ?? keysFile) : await publishedAt(url);
  const keys = jsonOf(text);
  if (isKeys(keys)) return keys;
  throw usageError(`${url ?? path ?? keysFile}: has no public keys`);
}

function isKeys(value: unknown): value is ReceiptKeys {
  const { keys } = (value ?? {}) as { keys?: unknown };
  return Array.isArray(keys) && keys.every((each) => typeof each === "object" && each !== null);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function fileText({ world }: Invocation, path: string): Promise<string> {
  return readFile(resolve(world.folder, path), "utf8").catch((cause: unknown) => {
    throw new CommandError(`${path}: cannot be read`, { exit: "usage", code: "usage", cause });
  });
}

async function publishedAt(url: string): Promise<string> {
  if (!/^https?:\/\//.test(url)) throw usageError("--url: must be an http or https URL");
  try {
    const answer = await fetch(new URL(wellKnown, url), { signal: AbortSignal.timeout(timeoutMs) });
    if (answer.ok) return await answer.text();
    throw new Error(`the server returned HTTP status ${answer.status}`);
  } catch (cause) {
    const message = `${url}: the published keys could not be read`;
    throw new CommandError(message, { exit: "unavailable", code: "unavailable", cause });
  }
}

/** Works without a login, and without a connection if the keys are in a file. */
export const verifyCommands: readonly OwnCommand[] = [
  {
    name: "verify",
    summary: "verify a payout's signed receipt",
    details:
      "Checks the signature of a receipt from GET /api/v1/transfer/payouts/:id/receipt with the\n" +
      "platform's published keys: disburse-keys.json in this folder, another file, or the platform's\n" +
      "current keys. Keep a copy of /.well-known/disburse-keys.json with your receipts.",
    examples: [
      "verify receipt.json",
      "verify receipt.json --keys disburse-keys.json",
      "verify receipt.json --url https://api.example.com",
    ],
    arguments: [{ name: "file", about: "the receipt" }],
    options: [
      { name: "keys", about: "a file with the published keys", value: "file" },
      { name: "url", about: "the platform's URL, to fetch its keys", value: "url" },
    ],
    run: verify,
  },
];
