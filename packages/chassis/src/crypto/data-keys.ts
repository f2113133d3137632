import { randomBytes } from "node:crypto";
import type { Clock } from "@disburse/kernel/time.ts";
import { SettingsError } from "../settings.ts";
import type { DataKeyDocument, DataKeyStore } from "./data-key-store.ts";
import type { KeyProvider } from "./key-provider.ts";
import {
  dataKeyLength,
  hashKeyOf,
  type KeyedHash,
  keyedHash,
  keysOfRing,
  type NamedKey,
  openUnder,
  type Sealer,
  sealUnder,
} from "./sealing.ts";

type DataKey = {
  readonly key: Buffer;
  readonly madeUnder: string;
  readonly madeAt: Date;
  readonly activeAt: Date;
};

/**
 * The time for which a key encrypts texts. With random nonces, AES-GCM is safe for 2^32 texts under
 * one key. That is 49 days at 1,000 texts a second.
 */
const sealsForMs = 30 * 24 * 3_600_000;
/**
 * The time between a key's creation and its first use. Processes load new keys every minute, so all
 * of them have the key by then.
 */
const announcedMs = 600_000;

export type DataKeyDeps = {
  readonly documents: DataKeyStore;
  readonly service: string;
  readonly provider: KeyProvider;
  /**
   * The setting `ENCRYPTION_KEYS`, or "" if there is none. The keys for keyed hashes are derived
   * from these keys.
   */
  readonly ring: string;
  readonly purposes: readonly string[];
  readonly clock: Clock;
};

/** Encrypts and hashes with the keys of a service's database. */
export type DataKeys = Awaited<ReturnType<typeof openDataKeys>>;

/**
 * Opens the data keys of a database and unwraps all of them (a dozen after a year), so that
 * encryption needs no call to another machine. Keys for keyed hashes are stored too. Hashes can
 * then still be found after a key was removed from the ring.
 *
 * @throws {SettingsError} if a key is wrapped under a missing key.
 */
export async function openDataKeys(deps: DataKeyDeps) {
  const { provider, clock } = deps;
  const store = openStore(deps);
  await store.load();
  const ring = deps.ring === "" ? [] : keysOfRing(deps.ring);
  await makeFirst(deps, store, ring);
  const sealing = () => sealingKey(store.sealing(), clock.now());
  const sealer: Sealer = {
    seal: (plain, place) => {
      const [id, { key }] = sealing();
      return sealUnder(id, key, plain, place);
    },
    open: (sealed, place) => {
      const id = idOf(sealed);
      const key = store.keys.get(id)?.key;
      if (key === undefined)
        throw new Error(
          `a stored text is encrypted under the data key ${id}, which does not exist`,
        );
      return openUnder(id, key, sealed, place);
    },
    isCurrent: (sealed) => {
      return store.keys.get(idOf(sealed))?.madeUnder === sealing()[1].madeUnder;
    },
  };
  return {
    sealer,
    /**
     * Returns the keyed hashes for a purpose, including those of keys that were removed from the
     * ring.
     */
    hashes: (purpose: string) => hashesOf(store.keys, ring, purpose),
    /** A value that changes when texts must be encrypted again. */
    generation: () => sealing()[1].madeUnder,
    /**
     * Loads keys that other processes created, creates the next key in time, and rewraps keys that
     * are wrapped under an older key of the provider. Returns the number of keys that still need
     * rewrapping. When it is 0, the older key can be removed.
     */
    maintain: async (): Promise<number> => {
      const found = await store.load();
      const isMade = await makeNext(store, provider.current, clock.now().getTime());
      return rewrapAll(store, isMade ? await store.load() : found, provider);
    },
  };
}

function idOf(sealed: string): string {
  return sealed.slice(0, sealed.indexOf("."));
}

type Store = ReturnType<typeof openStore>;

function openStore({ documents, service, provider, clock }: DataKeyDeps) {
  const keys = new Map<string, DataKey>();
  const context = (id: string) => `${service}|${id}`;
  let newestFirst: readonly (readonly [string, DataKey])[] = [];

  /** Unwraps keys that this process doesn't have yet. Returns all keys. */
  const load = async () => {
    const found = await documents.all();
    const fresh = found.filter(({ _id }) => !keys.has(_id));
    assertWrapped(fresh, provider);
    await Promise.all(
      fresh.map(async ({ _id, wrapped_by: keyId, wrapped: text, ...document }) => {
        const { made_under: madeUnder, made_at: madeAt, active_at: activeAt } = document;
        const key = await provider.unwrap({ keyId, text }, context(_id));
        keys.set(_id, { key, madeUnder, madeAt, activeAt });
      }),
    );
    newestFirst = [...keys]
      .filter(([id]) => id.startsWith("~"))
      .toSorted(([a], [b]) => numberOf(b) - numberOf(a));
    return found;
  };
  /** Stores a key, unless its id exists. */
  const keep = async (_id: string, key: Buffer, activeAt: Date) => {
    const { keyId: wrapped_by, text: wrapped } = await provider.wrap(key, context(_id));
    const times = { made_at: clock.now(), active_at: activeAt };
    const made = { schema_version: 1, made_under: provider.current, ...times };
    await documents.insert({ _id, wrapped_by, wrapped, ...made });
  };
  return { documents, keys, context, load, keep, sealing: () => newestFirst };
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}

function assertWrapped(documents: readonly DataKeyDocument[], provider: KeyProvider): void {
  const lost = documents.filter(({ wrapped_by }) => !provider.has(wrapped_by));
  if (lost.length === 0) return;
  const keys = [...new Set(lost.map(({ wrapped_by }) => wrapped_by))].join(", ");
  throw new SettingsError(
    `settings: ENCRYPTION_KEYS: lacks ${keys}, which wraps ${lost.length} stored data keys; add it again`,
  );
}

const always = new Date(0);
const hashId = (purpose: string, keyId: string) => `hash ${purpose} ${keyId}`;

/**
 * Creates the keys that a database needs before its first text. `~1` is stored last, so a database
 * with `~1` also has the hash keys of the ring at that time. The hash key of a later ring key is
 * stored only when that ring key becomes the first one. If it were stored earlier, the older ring
 * key could unwrap it.
 */
async function makeFirst(
  { purposes }: DataKeyDeps,
  { keys, keep, load }: Store,
  ring: readonly NamedKey[],
): Promise<void> {
  const isNew = !keys.has("~1");
  for (const purpose of purposes) {
    for (const [keyId, key] of isNew ? ring : ring.slice(0, 1)) {
      const id = hashId(purpose, keyId);
      if (!keys.has(id)) await keep(id, hashKeyOf(key, purpose), always);
    }
    const known = [...keys.keys()].some((id) => id.startsWith(hashId(purpose, "")));
    if (ring.length === 0 && !known)
      await keep(hashId(purpose, "own"), randomBytes(dataKeyLength), always);
  }
  if (isNew) await keep("~1", randomBytes(dataKeyLength), always);
  await load();
}

function sealingKey(newestFirst: readonly (readonly [string, DataKey])[], now: Date) {
  const found = newestFirst.find(([, { activeAt }]) => activeAt <= now);
  if (found === undefined) throw new Error("the database has no active data key");
  return found;
}

/**
 * Creates the next key if the newest key is old, or if no key was created under the provider's
 * current key.
 */
async function makeNext({ sealing, keep }: Store, current: string, nowMs: number) {
  const [newest] = sealing();
  if (newest === undefined) return false;
  const [id, { madeAt }] = newest;
  const isRotated = sealing().every(([, { madeUnder }]) => madeUnder !== current);
  if (!isRotated && nowMs - madeAt.getTime() < sealsForMs) return false;
  const next = `~${numberOf(id) + 1}`;
  await keep(next, randomBytes(dataKeyLength), new Date(nowMs + announcedMs));
  return true;
}

/** Rewraps each key in a separate write, unless the key has changed since it was read. */
async function rewrapAll(
  { documents, keys, context }: Store,
  found: readonly DataKeyDocument[],
  provider: KeyProvider,
): Promise<number> {
  let left = 0;
  for (const { _id, wrapped_by, wrapped } of found) {
    const key = keys.get(_id)?.key;
    if (wrapped_by === provider.current || key === undefined) continue;
    const next = await provider.wrap(key, context(_id));
    const after = { wrapped_by: next.keyId, wrapped: next.text };
    if (!(await documents.rewrap({ _id, wrapped }, after))) left += 1;
  }
  return left;
}

/** Returns the hash keys of the ring in its order, followed by those of earlier rings. */
function hashesOf(
  keys: ReadonlyMap<string, DataKey>,
  ring: readonly NamedKey[],
  purpose: string,
): readonly [KeyedHash, ...KeyedHash[]] {
  const prefix = hashId(purpose, "");
  const ofRing = ring.map(([keyId, master]) => [keyId, hashKeyOf(master, purpose)] as const);
  const inRing = new Set(ring.map(([keyId]) => keyId));
  const kept = [...keys]
    .filter(([id]) => id.startsWith(prefix) && !inRing.has(id.slice(prefix.length)))
    .toSorted(([, a], [, b]) => b.madeAt.getTime() - a.madeAt.getTime())
    .map(([id, { key }]) => [id.slice(prefix.length), key] as const);
  const [first, ...others] = [...ofRing, ...kept].map(keyedHash);
  if (first === undefined) throw new Error(`no HMAC key is available for ${purpose}`);
  return [first, ...others];
}
