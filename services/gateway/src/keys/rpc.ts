import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrowBy, publicRefusals } from "@disburse/chassis/rpc/refusal.ts";
import {
  type Key,
  KeySchema,
  type KeyService,
} from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { createKey, type KeyIssuerDeps, revokeKey, rotateKey } from "./issuer.ts";
import { endOfKey, type KeyDocument } from "./store.ts";

const orThrow = orThrowBy(publicRefusals);

/** A key as operators see it: everything but its secret part. */
function keyMessage(key: KeyDocument): Key {
  const end = endOfKey(key);
  return create(KeySchema, {
    id: key._id,
    merchantId: key.merchant_id,
    scopes: [...key.scopes],
    sourceCidrs: [...key.source_cidrs],
    createdAt: timestampFromDate(key.created_at),
    description: key.description,
    ...(end && { expiresAt: timestampFromDate(end) }),
    ...(key.revoked_at && { revokedAt: timestampFromDate(key.revoked_at) }),
  });
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
    listKeys: async ({ merchantId }) => {
      const found = deps.keys.find({ merchant_id: merchantId }).sort({ created_at: 1, _id: 1 });
      return { keys: (await found.toArray()).map(keyMessage) };
    },
  };
}
