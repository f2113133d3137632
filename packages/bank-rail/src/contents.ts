import { createHash } from "node:crypto";
import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { isOnlyDuplicateKeys } from "@disburse/chassis/mongo/database.ts";
import type { Collection, Document, OptionalUnlessRequiredId } from "mongodb";
import type { BankStore, ContentDocument } from "./documents.ts";

export type Seals = Pick<Sealer, "seal" | "open">;

/**
 * The maximum number of a file's bytes in one document. Encrypting again after a key rotation reads
 * 100 documents at once, so they must be small.
 */
const partBytes = 262_144;
const partsAtOnce = 16;

/**
 * The number of bytes that are hashed or decrypted before the process yields. They take a few
 * milliseconds.
 */
const stepBytes = 2 ** 21;

/** Returns the SHA-256 hash in hexadecimal. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const idOf = (owner: string, sha256: string, number: number) =>
  `${owner} ${sha256} ${String(number).padStart(6, "0")}`;

/** Lets other work of the process run. A simulation replaces the global `setImmediate`. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Hashes a large file in steps, so that other work of the process can run between them. */
async function sha256InSteps(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < bytes.length; from += stepBytes) {
    hash.update(bytes.subarray(from, from + stepBytes));
    await pause();
  }
  return hash.digest("hex");
}

/** Stores bytes in encrypted parts. A repeated call stores only the missing parts. */
export async function storeContent(
  { contents }: Pick<BankStore, "contents">,
  sealer: Seals,
  owner: string,
  bytes: Uint8Array,
): Promise<string> {
  const sha256 = await sha256InSteps(bytes);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const offsets = Array.from(
    { length: Math.ceil(bytes.length / partBytes) },
    (_each, number) => number * partBytes,
  );
  const documents = (from: number) =>
    offsets.slice(from, from + partsAtOnce).map((offset, at): ContentDocument => {
      const _id = idOf(owner, sha256, from + at);
      // Latin-1 maps each byte to one character, so any file survives unchanged.
      const part = buffer.toString("latin1", offset, offset + partBytes);
      return { _id, schema_version: 1, sealed: sealer.seal(part, _id) };
    });
  for (let from = 0; from < offsets.length; from += partsAtOnce) {
    await insertMissing(contents, documents(from));
  }
  return sha256;
}

/** Reads the stored bytes of a bank file. Throws if a part is missing or the hash differs. */
export async function readContent(
  { contents }: Pick<BankStore, "contents">,
  sealer: Seals,
  owner: string,
  sha256: string,
): Promise<Uint8Array> {
  const from = idOf(owner, sha256, 0);
  const filter = { _id: { $gte: from, $lte: `${owner} ${sha256} ~` } };
  const bytes = Buffer.allocUnsafeSlow((await contents.countDocuments(filter)) * partBytes);
  const hash = createHash("sha256");
  let size = 0;
  for await (const { _id, sealed } of contents.find(filter).sort({ _id: 1 })) {
    const part = bytes.subarray(size);
    const written = part.write(sealer.open(sealed, _id), "latin1");
    hash.update(part.subarray(0, written));
    size += written;
    if (size % stepBytes < partBytes) await pause();
  }
  if (hash.digest("hex") !== sha256)
    throw new Error("the stored bank file does not match its SHA-256 hash");
  return bytes.subarray(0, size);
}

export const sealedContents: SealedPlace = {
  collection: "bank_contents",
  reseal: ({ _id, sealed }, sealer) =>
    resealTexts([{ path: "sealed", text: sealed, context: String(_id) }], sealer),
};

/** Inserts the documents whose keys do not exist yet. */
export async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<void> {
  if (documents.length === 0) return;
  try {
    await collection.insertMany([...documents], { ordered: false });
  } catch (error) {
    if (!isOnlyDuplicateKeys(error)) throw error;
  }
}
