import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  type PayoutOperationsService,
  RailInfoSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { AuditStore } from "../payouts/audit.ts";
import { readOperator } from "../payouts/operator.ts";
import { orThrow } from "../refusals.ts";
import { type ReceiveDeps, receiveCallback } from "./callbacks.ts";
import { isAvailable } from "./directory.ts";
import type { Rail } from "./rail.ts";
import type { RailStates } from "./states.ts";

export type RailRpcDeps = ReceiveDeps & {
  readonly states: RailStates;
  readonly audit: AuditStore;
};

/** Why a rail is paused, for those who ask later. */
const reasonMax = 255;

/** The operators' RPCs of rails, and the rails' own. */
export function railRpc(
  deps: RailRpcDeps,
): Pick<
  ServiceImpl<typeof PayoutOperationsService>,
  "listRails" | "setRailPaused" | "receiveRailCallback"
> {
  const { rails, states, audit } = deps;
  return {
    listRails: async () => ({
      rails: await Promise.all(rails.all.map((rail) => railInfo(states, rail))),
    }),

    setRailPaused: async ({ mutation, rail: name, paused, reason }) => {
      const by = readOperator(mutation);
      const rail = orThrow(rails.named(name) ?? refused("RECORD_NOT_FOUND"));
      if (paused && (reason === "" || reason.length > reasonMax)) orThrow(withoutReason);
      const action = paused ? "rail.paused" : "rail.resumed";
      const detail = paused ? reason : "";
      const at = deps.clock.now();
      // The trail first: its order is the order of what counts, and a repeat of it changes nothing.
      await states.follow(await audit.append({ action, subject: name, detail, at, ...by }));
      if (!paused) deps.wake();
      return { rail: await railInfo(states, rail) };
    },

    receiveRailCallback: async ({ mutation, rail, body, signature }) => {
      const by = readMutation(mutation);
      const received = await receiveCallback(deps, { rail, body, signature }, by);
      return { applied: orThrow(received).applied };
    },
  };
}

const withoutReason = refused(
  "INVALID_REQUEST",
  `reason: must be 1 to ${reasonMax} characters when a rail is paused`,
);

async function railInfo(states: RailStates, rail: Rail) {
  const { name, capabilities } = rail;
  const [{ paused, reason }, available] = await Promise.all([states.read(name), isAvailable(rail)]);
  return create(RailInfoSchema, {
    ...{ name, paused, reason, available },
    currencyCodes: [...capabilities.currencies],
    transferMethods: [...capabilities.transferMethods],
    networks: [...capabilities.networks],
  });
}
