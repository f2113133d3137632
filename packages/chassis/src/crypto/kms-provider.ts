import { DecryptCommand, EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import type { KeyProvider } from "./key-provider.ts";

/** A process that starts waits this long for one answer, three times. */
const timeouts = {
  connectionTimeout: 3_000,
  requestTimeout: 5_000,
  // Without it a request that is never answered is logged, and waited for.
  throwOnRequestTimeout: true,
};

/** A client of AWS KMS; region and who calls come as with every AWS tool. */
export function kmsClient(endpoint?: string): KMSClient {
  return new KMSClient({ requestHandler: timeouts, ...(endpoint !== undefined && { endpoint }) });
}

/**
 * Data keys wrapped by AWS KMS, the context as its encryption context.
 *
 * @param keyIds ids or ARNs, the current one first: the others unwrap until all is wrapped anew.
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
      if (blob === undefined) throw new Error("KMS wrapped nothing");
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
      if (key === undefined) throw new Error("KMS unwrapped nothing");
      return Buffer.from(key);
    },
  };
}
