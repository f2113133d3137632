import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Flaw } from "./flaw.ts";
import type { KeptHeads } from "./kept-heads.ts";

/** A service's chain heads at one time (decision 0043). */
type Statement = {
  readonly service: string;
  readonly trust_domain: string;
  readonly number: number;
  readonly previous: string;
  readonly at: string;
  readonly heads: readonly (readonly [chain: string, sequence: number, hash: string])[];
};

type Line = { readonly statement: string; readonly key_id: string; readonly signature: string };

/** Public keys by key id. The prefix of a key id is its service: `payout.3q2-7wEJ`. */
export type PublicKeys = ReadonlyMap<string, KeyObject>;

/** Prefix of the signed text. Separates these signatures from others by the same key. */
const purpose = "disburse audit heads 1\n";

/** Reads a JWK set in the format of `TRUSTED_KEYS`. */
export function readPublicKeys(text: string): PublicKeys {
  const { keys } = JSON.parse(text) as { keys: { kid: string }[] };
  return new Map(
    keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk as object, format: "jwk" })]),
  );
}

type Kept = { readonly text: string; readonly statement: Statement };

/**
 * Checks the lines of a sink, in any order. Collects the heads of statements that their service has
 * signed and that are not older than `from`.
 */
export function createStatementCheck(keys: PublicKeys, heads: KeptHeads, from = new Date(0)) {
  const flaws: Flaw[] = [];
  const kept = new Map<string, Kept[]>();
  const seen = new Set<string>();
  /** Hashes of statements by service. Includes statements older than `from`. */
  const hashes = new Set<string>();
  const nameOf = (service: string, hash: string) => `${service} ${hash}`;
  let torn = 0;

  const add = (line: string): void => {
    const read = parse<Line>(line);
    if (read === undefined) {
      torn += 1;
      return;
    }
    const statement = parse<Statement>(read.statement);
    if (statement === undefined || !isSigned(keys, read, statement)) {
      const { service = "", number } = statement ?? {};
      const detail = "is not signed by a key of its service";
      flaws.push({ kind: "unsigned", service, subject: `statement ${number}`, detail });
      return;
    }
    hashes.add(nameOf(statement.service, hashOf(read.statement)));
    if (new Date(statement.at) < from) return;
    const own = kept.get(statement.service) ?? [];
    kept.set(statement.service, own);
    // A crash may repeat a line.
    if (!seen.has(read.statement)) own.push({ text: read.statement, statement });
    seen.add(read.statement);
  };

  return {
    add,
    /**
     * Returns the number of lines that a crash cut off. The service repeats each of them completely
     * afterwards.
     */
    torn: () => torn,
    has: (service: string, hash: string): boolean => hashes.has(nameOf(service, hash)),
    services: (): string[] => [...kept.keys()],
    /** Returns a service's last statement. Call it after `end`. */
    newest: (service: string) => kept.get(service)?.at(-1)?.statement,
    /** Passes on the heads in signing order. */
    end: (): Flaw[] => {
      for (const [service, all] of kept) {
        all.sort((one, other) => one.statement.number - other.statement.number);
        flaws.push(...brokenLinks(service, all));
        for (const { statement } of all) {
          for (const [chain, sequence, hash] of statement.heads) {
            heads.add(service, { chain, sequence, hash, at: statement.at });
          }
        }
      }
      return flaws;
    },
  };
}

/** Finds gaps between statements, and statements that were replaced. */
function brokenLinks(service: string, inOrder: readonly Kept[]): Flaw[] {
  return inOrder.slice(1).flatMap(({ statement: { number, previous } }, index): Flaw[] => {
    const before = inOrder[index] as Kept;
    const last = before.statement.number;
    const flaw = (kind: Flaw["kind"], detail: string): Flaw[] => [
      { kind, service, subject: `statement ${number}`, detail },
    ];
    if (number === last) return flaw("rewritten", "is there twice, with other heads");
    if (number > last + 1) return flaw("missing", `${last + 1} to ${number - 1} are not there`);
    return previous === hashOf(before.text) ? [] : flaw("rewritten", "follows another one");
  });
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

function isSigned(
  keys: PublicKeys,
  { statement, key_id, signature }: Line,
  { service }: Statement,
) {
  const key = keys.get(key_id);
  if (key === undefined || !key_id.startsWith(`${service}.`)) return false;
  return verify(null, Buffer.from(purpose + statement), key, Buffer.from(signature, "base64url"));
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
