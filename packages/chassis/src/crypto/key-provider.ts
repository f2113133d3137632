import { createSealer } from "./sealing.ts";

/** A data key, wrapped under a key that no database holds. */
export type WrappedKey = {
  /** The key that wrapped it. */
  readonly keyId: string;
  readonly text: string;
};

/**
 * Where the keys of a service are kept. It wraps and unwraps data keys, a few at a process's start
 * and at a rotation; texts are sealed under those, in the process.
 */
export type KeyProvider = {
  /** The id of the key that wraps now. */
  readonly current: string;
  /** Whether it can unwrap what the key of this id wrapped. */
  readonly has: (keyId: string) => boolean;
  /** `context` is authenticated: what was wrapped for one does not open for another. */
  readonly wrap: (key: Buffer, context: string) => Promise<WrappedKey>;
  /** Throws where the key is not there, or the text was altered or has another context. */
  readonly unwrap: (wrapped: WrappedKey, context: string) => Promise<Buffer>;
};

/** The provider of the setting `ENCRYPTION_KEYS` (`key_id:base64,…`): the first wraps. */
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

/** A provider that wraps, and one before it, which unwraps what it wrapped until all is anew. */
export function following(before: KeyProvider, provider: KeyProvider): KeyProvider {
  const owner = (keyId: string) => (provider.has(keyId) ? provider : before);
  return {
    ...provider,
    has: (keyId) => owner(keyId).has(keyId),
    unwrap: (wrapped, context) => owner(wrapped.keyId).unwrap(wrapped, context),
  };
}
