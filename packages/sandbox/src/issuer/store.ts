import { LRUCache } from "lru-cache";
import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";

/** Sessions, codes and refresh tokens at a time: of a few people. */
const entriesMax = 10_000;
/** What has no end of its own is kept for so long. */
const secondsDefault = 86_400;

/**
 * Where the provider keeps what it gives out: in memory, for the time that it is good. After a
 * restart people sign in again; keys and passwords are the same.
 */
export function createStore(): AdapterFactory {
  const entries = new LRUCache<string, AdapterPayload>({ max: entriesMax });
  /** Keys by what else an entry is found by. */
  const keys = new LRUCache<string, string>({ max: entriesMax });
  return (model): Adapter => {
    const keyOf = (id: string) => `${model} ${id}`;
    const found = (name: string, value: string) => {
      const key = keys.get(`${model} ${name} ${value}`);
      return key === undefined ? undefined : entries.get(key);
    };
    return {
      upsert: async (id, payload, expiresIn) => {
        const options = { ttl: (expiresIn || secondsDefault) * 1_000 };
        const { uid, userCode } = payload;
        entries.set(keyOf(id), payload, options);
        if (uid !== undefined) keys.set(`${model} uid ${uid}`, keyOf(id), options);
        if (userCode !== undefined) keys.set(`${model} code ${userCode}`, keyOf(id), options);
      },
      find: async (id) => entries.get(keyOf(id)),
      findByUid: async (uid) => found("uid", uid),
      findByUserCode: async (userCode) => found("code", userCode),
      destroy: async (id) => void entries.delete(keyOf(id)),
      consume: async (id) => {
        const entry = entries.get(keyOf(id));
        if (entry !== undefined) entry.consumed = Math.floor(Date.now() / 1_000);
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, entry] of entries.entries()) {
          if (entry.grantId === grantId) entries.delete(key);
        }
      },
    };
  };
}
