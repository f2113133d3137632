import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrowBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";
import {
  type Key,
  KeySchema,
  type KeyService,
} from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { createKey, type KeyIssuerDeps, revokeKey, rotateKey } from "./issuer.ts";
import { endOfKey, type StoredKey } from "./store.ts";

type KeyRefusal = "INVALID_REQUEST" | "RECORD_NOT_FOUND";

const refusals: RefusalTable<KeyRefusal> = {
  INVALID_REQUEST: publicRefusals.INVALID_REQUEST,
  RECORD_NOT_FOUND: publicRefusals.RECORD_NOT_FOUND,
};

const orThrow = orThrowBy(refusals);

/** A key as operators see it: everything but its secret part. */
function keyMessage(key: StoredKey): Key {
  const message = create(KeySchema, {
    id: key.id,
    merchantId: key.merchantId,
    scopes: [...key.scopes],
    sourceCidrs: [...key.sourceCidrs],
    createdAt: timestampFromDate(key.createdAt),
    description: key.description,
  });
  const end = endOfKey(key);
  if (end !== undefined) message.expiresAt = timestampFromDate(end);
  if (key.revokedAt !== null) message.revokedAt = timestampFromDate(key.revokedAt);
  return message;
}

/** `KeyService`: parse, issue or revoke, reply. */
export function keyService(deps: KeyIssuerDeps): ServiceImpl<typeof KeyService> {
  return {
    createKey: async ({ mutation, merchantId, scopes, expiresAt, sourceCidrs, description }) => {
      const by = readMutation(mutation);
      const expiry = expiresAt === undefined ? null : timestampDate(expiresAt);
      const asked = { merchantId, scopes, expiresAt: expiry, sourceCidrs, description };
      const { key, secret } = orThrow(await createKey(deps, by, asked));
      return { key: keyMessage(key), secret };
    },
    rotateKey: async ({ mutation, keyId, overlapSeconds }) => {
      const rotated = await rotateKey(deps, readMutation(mutation), keyId, overlapSeconds);
      const { key, secret } = orThrow(rotated);
      return { key: keyMessage(key), secret };
    },
    revokeKey: async ({ mutation, keyId }) => ({
      key: keyMessage(orThrow(await revokeKey(deps, readMutation(mutation), keyId))),
    }),
    listKeys: async ({ merchantId }) => ({
      keys: (await deps.keys.list(merchantId)).map(keyMessage),
    }),
  };
}
