import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import type { Flaw } from "./flaw.ts";
import type { KeptHeads } from "./kept-heads.ts";

/** What a service said of its chains at a moment, as decision 0043 writes it down. */
type Statement = {
  readonly service: string;
  readonly trust_domain: string;
  readonly number: number;
  readonly previous: string;
  readonly at: string;
  readonly heads: readonly (readonly [chain: string, sequence: number, hash: string])[];
};

type Line = { readonly statement: string; readonly key_id: string; readonly signature: string };

/** Public keys by key id, which begins with its service's name: `payout.3q2-7wEJ`. */
export type PublicKeys = ReadonlyMap<string, KeyObject>;

/** Signed beside the statement. */
const purpose = "disburse audit heads 1\n";

/** Reads public keys of a JWK set, as `TRUSTED_KEYS` has them. */
export function readPublicKeys(text: string): PublicKeys {
  const { keys } = JSON.parse(text) as { keys: { kid: string }[] };
  return new Map(
    keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk as object, format: "jwk" })]),
  );
}

/** A statement with the text that was signed. */
type Kept = { readonly text: string; readonly statement: Statement };

/**
 * Takes the lines of a sink, in any order: finds what is wrong with them by themselves, and keeps
 * the heads of those that are signed by their service and not older than `from`.
 */
export function createStatementCheck(keys: PublicKeys, heads: KeptHeads, from = new Date(0)) {
  const flaws: Flaw[] = [];
  const kept = new Map<string, Kept[]>();
  const seen = new Set<string>();
  /** Of statements of any age, by service and hash. */
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
    // The same line comes again after a crash.
    if (!seen.has(read.statement)) own.push({ text: read.statement, statement });
    seen.add(read.statement);
  };

  return {
    add,
    /** Lines that a crash cut off: each comes again, whole, after it. */
    torn: () => torn,
    has: (service: string, hash: string): boolean => hashes.has(nameOf(service, hash)),
    services: (): string[] => [...kept.keys()],
    /** After `end`: the last statement of a service. */
    newest: (service: string) => kept.get(service)?.at(-1)?.statement,
    /** Hands the heads over, in the order in which they were signed. */
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

/** Statements that are missing between others, or that another one stands in place of. */
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
