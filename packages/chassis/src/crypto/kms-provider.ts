import { DecryptCommand, EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import type { KeyProvider } from "./key-provider.ts";

/** Time limits of one attempt when a process starts. There are three attempts. */
const timeouts = {
  connectionTimeout: 3_000,
  requestTimeout: 5_000,
  // By default the SDK only logs a timed-out request and keeps waiting for it.
  throwOnRequestTimeout: true,
};

/** Creates a client of AWS KMS. The region and credentials come from the AWS defaults. */
export function kmsClient(endpoint?: string): KMSClient {
  return new KMSClient({ requestHandler: timeouts, ...(endpoint !== undefined && { endpoint }) });
}

/**
 * Wraps data keys with AWS KMS. The context is passed as the encryption context of KMS.
 *
 * @param keyIds ids or ARNs, the current one first. The others only unwrap, until all keys are
 * rewrapped.
 */
export function kmsProvider(
  keyIds: readonly [string, ...string[]],
  client: KMSClient,
): KeyProvider {
  const [current] = keyIds;
  const contextOf = (context: string) => ({ disburse: context });
  return {
    current,
    has: (keyId) => keyIds.includes(keyId),
    wrap: async (key, context) => {
      const { CiphertextBlob: blob } = await client.send(
        new EncryptCommand({
          KeyId: current,
          Plaintext: key,
          EncryptionContext: contextOf(context),
        }),
      );
      if (blob === undefined)
        throw new Error("the response of AWS KMS contains no wrapped data key");
      return { keyId: current, text: Buffer.from(blob).toString("base64") };
    },
    unwrap: async ({ keyId, text }, context) => {
      const { Plaintext: key } = await client.send(
        new DecryptCommand({
          KeyId: keyId,
          CiphertextBlob: Buffer.from(text, "base64"),
          EncryptionContext: contextOf(context),
        }),
      );
      if (key === undefined)
        throw new Error("the response of AWS KMS contains no unwrapped data key");
      return Buffer.from(key);
    },
  };
}
