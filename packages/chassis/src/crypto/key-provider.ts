import { createSealer } from "./sealing.ts";

/** A data key, wrapped under a key that no database holds. */
export type WrappedKey = {
  readonly keyId: string;
  readonly text: string;
};

/**
 * Holds the master keys of a service. It wraps and unwraps data keys at a process's start and at a
 * rotation; the process seals texts with the data keys.
 */
export type KeyProvider = {
  /** The id of the current wrapping key. */
  readonly current: string;
  /** True if it can unwrap keys that the key of this id wrapped. */
  readonly has: (keyId: string) => boolean;
  /** `context` is authenticated: a key wrapped for one context doesn't unwrap for another. */
  readonly wrap: (key: Buffer, context: string) => Promise<WrappedKey>;
  /** Throws if the key is missing, or the text was altered or has another context. */
  readonly unwrap: (wrapped: WrappedKey, context: string) => Promise<Buffer>;
};

/** Creates the provider of `ENCRYPTION_KEYS` (`key_id:base64,…`): the first key wraps. */
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
 * Combines the wrapping provider with a previous one, which unwraps until all keys are rewrapped.
 */
export function withPrevious(previous: KeyProvider, provider: KeyProvider): KeyProvider {
  const owner = (keyId: string) => (provider.has(keyId) ? provider : previous);
  return {
    ...provider,
    has: (keyId) => owner(keyId).has(keyId),
    unwrap: (wrapped, context) => owner(wrapped.keyId).unwrap(wrapped, context),
  };
}
