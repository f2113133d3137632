import { createSealer } from "./sealing.ts";

/** A data key, wrapped under a key that is not stored in any database. */
export type WrappedKey = {
  readonly keyId: string;
  readonly text: string;
};

/**
 * Holds the master keys of a service. It wraps and unwraps data keys when a process starts and when
 * keys are rotated. The process itself encrypts texts with the data keys.
 */
export type KeyProvider = {
  /** The id of the current wrapping key. */
  readonly current: string;
  /** Returns true if the provider can unwrap keys that were wrapped with the key of this id. */
  readonly has: (keyId: string) => boolean;
  /** Wraps a key. `context` is authenticated, so unwrapping requires the same context. */
  readonly wrap: (key: Buffer, context: string) => Promise<WrappedKey>;
  /**
   * Throws if the wrapping key is missing, if the text was changed, or if the context is different.
   */
  readonly unwrap: (wrapped: WrappedKey, context: string) => Promise<Buffer>;
};

/** Creates a provider from `ENCRYPTION_KEYS` (`key_id:base64,…`). The first key wraps. */
export function ringProvider(encryptionKeys: string): KeyProvider {
  const sealer = createSealer(encryptionKeys);
  const ids = encryptionKeys.split(",").map((pair) => pair.split(":")[0] ?? "");
  const [current = ""] = ids;
  const place = (context: string) => `data key|${context}`;
  return {
    current,
    has: (keyId) => ids.includes(keyId),
    wrap: async (key, context) => ({
      keyId: current,
      text: sealer.seal(key.toString("base64"), place(context)),
    }),
    unwrap: async ({ text }, context) => Buffer.from(sealer.open(text, place(context)), "base64"),
  };
}

/**
 * Combines two providers. `provider` wraps and unwraps. `previous` only unwraps, until all keys are
 * rewrapped.
 */
export function withPrevious(previous: KeyProvider, provider: KeyProvider): KeyProvider {
  const owner = (keyId: string) => (provider.has(keyId) ? provider : previous);
  return {
    ...provider,
    has: (keyId) => owner(keyId).has(keyId),
    unwrap: (wrapped, context) => owner(wrapped.keyId).unwrap(wrapped, context),
  };
}
