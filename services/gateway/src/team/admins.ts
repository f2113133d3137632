import type { Members } from "./store.ts";

/** Finds admins who could decide on what another actor proposes. */
export function createAdmins({ collection }: Pick<Members, "collection">) {
  return {
    /**
     * Returns true if the merchant has an admin who has accepted the invitation and doesn't have
     * this root.
     */
    hasOther: async (merchantId: string, ownRoot: string): Promise<boolean> => {
      const admins = await collection
        .find({
          merchant_id: merchantId,
          role: "admin",
          removed_at: null,
          subject: { $exists: true },
        })
        .toArray();
      return admins.some(({ _id: id, root = id }) => root !== ownRoot);
    },
  };
}
