import type { Guards } from "@disburse/chassis/approvals/approvals.ts";
import type { keyService } from "./rpc.ts";
import { type Mode, overlapSecondsDefault, secondPersonScopes } from "./rules/key.ts";
import type { Keys } from "./store.ts";

type KeyRpc = Pick<ReturnType<typeof keyService>, "createKey" | "rotateKey">;

/** Live keys that can make payouts wait for a second person. */
export function keyGuards({ keys, mode }: { keys: Keys; mode: Mode }): Guards<KeyRpc> {
  const approvers = ["admin"] as const;
  const reasonsOf = (scopes: readonly string[]): string[] => {
    const paying = secondPersonScopes(new Set(scopes));
    return mode === "live" && paying.length > 0 ? [`a live key with ${paying.join(", ")}`] : [];
  };
  return {
    createKey: {
      approvers,
      difference: async ({ scopes, sourceCidrs, description }) => ({
        before: "",
        after: JSON.stringify({ key: { scopes, sourceCidrs, description } }),
      }),
      reasons: async ({ scopes }) => reasonsOf(scopes),
    },
    rotateKey: {
      approvers,
      difference: async ({ keyId, overlapSeconds = overlapSecondsDefault }) => {
        const key = await keys.findOne({ _id: keyId });
        const before = key && JSON.stringify({ keyId, scopes: key.scopes });
        return { before: before ?? "", after: JSON.stringify({ successor: { overlapSeconds } }) };
      },
      reasons: async ({ keyId }) => reasonsOf((await keys.findOne({ _id: keyId }))?.scopes ?? []),
    },
  };
}
