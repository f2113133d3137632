import type { Collection } from "mongodb";
import type { EndpointDocument } from "./documents.ts";
import type { SealedKey } from "./rules/endpoint.ts";

/** The sealed keys of an endpoint, deleted or not, as they are at a revision. */
export type SealedKeys = {
  readonly id: string;
  readonly merchantId: string;
  readonly revision: number;
  readonly keys: readonly SealedKey[];
};

export type SealedKeyStore = ReturnType<typeof openSealedKeyStore>;

/** Some 100 KiB; a walk yields to others between two of them. */
const pageSize = 50;

/** All sealed keys, to be sealed anew after a rotation of the encryption's key. */
export function openSealedKeyStore({
  collection: endpoints,
}: {
  readonly collection: Collection<EndpointDocument>;
}) {
  return {
    /** All endpoints, by id, which an endpoint that is made meanwhile comes after. */
    walk: async function* (): AsyncGenerator<SealedKeys> {
      let after = "";
      for (;;) {
        const page = await endpoints
          .find({ _id: { $gt: after } }, { projection: { merchant_id: 1, revision: 1, keys: 1 } })
          .sort({ _id: 1 })
          .limit(pageSize)
          .toArray();
        for (const { _id: id, merchant_id: merchantId, revision, keys } of page) {
          yield { id, merchantId, revision, keys: keys.map(toKey) };
        }
        const last = page.at(-1);
        if (last === undefined) return;
        after = last._id;
      }
    },

    /** Writes them as a revision of their own; answers whether nobody was first. */
    rewrite: async ({ id, revision, keys }: SealedKeys): Promise<boolean> => {
      const { matchedCount } = await endpoints.updateOne(
        { _id: id, revision },
        { $set: { keys: keys.map(keyDocument) }, $inc: { revision: 1 } },
      );
      return matchedCount === 1;
    },
  };
}

type KeyDocument = EndpointDocument["keys"][number];

function toKey({ id, secret, standard_secret, made_at }: KeyDocument): SealedKey {
  return { id, secret, standardSecret: standard_secret, madeAt: made_at };
}

function keyDocument({ id, secret, standardSecret, madeAt }: SealedKey): KeyDocument {
  return { id, secret, standard_secret: standardSecret, made_at: madeAt };
}
