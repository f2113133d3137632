import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation, readOperator } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type PayoutOperatorService,
  RailInfoSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import {
  type DestinationRail,
  DestinationRailSchema,
  type PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { beneficiaryForms } from "@disburse/forms/describe/discovery.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { TransferKind } from "@disburse/rail/capabilities.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import type { AuditStore } from "../payouts/operators.ts";
import { payoutMessage, readOutcome } from "../payouts/wire.ts";
import { type ReceiveDeps, receiveCallback } from "./callbacks.ts";
import { type CancelDeps, cancelPayout } from "./cancel.ts";
import { isAvailable, type RailDirectory } from "./directory.ts";
import { type RailReportDeps, reportOutcome } from "./reports.ts";
import type { RailStates } from "./states.ts";

/** Creates the RPC with which a trusted caller reports an outcome. */
export function reportRpc(deps: RailReportDeps) {
  return {
    reportRailOutcome: async (message) => {
      const by = readMutation(message.mutation);
      const status = orThrow(readOutcome(message));
      const { payoutId, amount, currencyCode: currency } = message;
      const report = { status, transferred: { amount, currency } };
      const { payout } = orThrow(await reportOutcome(deps, payoutId, report, by));
      return { payout: payoutMessage(payout) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

/** The maximum number of currencies in a request. It equals the maximum page size of corridors. */
const destinationsMax = 100;

/** Creates the RPCs with which the quote service reads how currencies are paid. */
export function destinationsRpc({
  rails,
  clock,
}: Pick<RailReportDeps, "clock"> & { readonly rails: Pick<RailDirectory, "pays" | "railOf"> }) {
  const known = (code: string, field: string): string => {
    const unknown = refused("INVALID_REQUEST", `${field}: must be a known currency`);
    return orThrow(findCurrency(code) ?? unknown).code;
  };
  return {
    checkDestination: async ({ currencyCode }) => ({
      payable: rails.pays(known(currencyCode, "currency_code")),
    }),

    describeDestinations: async ({ currencyCodes }) => {
      if (currencyCodes.length < 1 || currencyCodes.length > destinationsMax) {
        orThrow(
          refused("INVALID_REQUEST", `currency_codes: must contain 1 to ${destinationsMax} codes`),
        );
      }
      const codes = currencyCodes.map((code, at) => known(code, `currency_codes[${at}]`));
      const now = clock.now();
      const destinations = codes.map((currencyCode) => {
        return { currencyCode, rails: railsTo(rails, currencyCode, now) };
      });
      return { destinations };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

/** Creates the RPC with which a merchant cancels a payout. */
export function cancelRpc(deps: CancelDeps) {
  return {
    cancelPayout: async ({ mutation, merchantId, payoutId }) => {
      const by = readMutation(mutation);
      const cancelled = await cancelPayout(deps, { merchantId, payoutId }, by);
      return { payout: payoutMessage(orThrow(cancelled)) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

const reasonMax = 255;

/** Creates the operator RPCs of rails, and the RPC that receives callbacks. */
export function railsRpc(
  deps: ReceiveDeps & { readonly states: RailStates; readonly audit: AuditStore },
) {
  const { rails, states, audit } = deps;
  return {
    listRails: async () => ({
      rails: await Promise.all(rails.all.map((rail) => railInfo(states, rail))),
    }),

    setRailPaused: async ({ mutation, rail: name, paused, reason }) => {
      const by = readOperator(mutation);
      const rail = orThrow(rails.named(name) ?? refused("RECORD_NOT_FOUND"));
      if (paused === undefined) orThrow(refused("INVALID_REQUEST", "paused: is required"));
      if (paused && (reason === "" || reason.length > reasonMax)) orThrow(withoutReason);
      const action = paused ? "rail.paused" : "rail.resumed";
      const detail = paused ? reason : "";
      const at = deps.clock.now();
      // The audit trail is written first, because its order decides between concurrent changes. A
      // repeated append changes nothing.
      await states.follow(await audit.append({ action, subject: name, detail, at, ...by }));
      if (!paused) deps.wake();
      return { rail: await railInfo(states, rail) };
    },

    receiveRailCallback: async ({ mutation, rail, body, signature }) => {
      const by = readMutation(mutation);
      const received = await receiveCallback(deps, { rail, body, signature }, by);
      return { applied: orThrow(received).applied };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}

const withoutReason = refused(
  "INVALID_REQUEST",
  `reason: must be 1 to ${reasonMax} characters when a rail is paused`,
);

async function railInfo(states: RailStates, rail: Rail) {
  const { name, capabilities } = rail;
  const [{ paused, reason }, available] = await Promise.all([states.read(name), isAvailable(rail)]);
  return create(RailInfoSchema, {
    name,
    paused,
    reason,
    available,
    currencyCodes: [...capabilities.currencies],
    transferMethods: [...capabilities.transferMethods],
    networks: [...capabilities.networks],
  });
}

/** Returns the kinds of transfers that beneficiary forms offer for a currency. */
export function transferKindsOf(currency: string): readonly TransferKind[] {
  const kinds = new Map<string, TransferKind>();
  for (const { transferType, fields } of beneficiaryForms({ destinationCurrency: currency })) {
    const isCrypto = transferType === "";
    const network = fields.find(({ name }) => name === "routing_code_value_1");
    for (const each of isCrypto ? (network?.allowed ?? []) : [""]) {
      const transferMethod = isCrypto ? "CRYPTO" : transferType;
      kinds.set(`${transferMethod} ${each}`, { currency, transferMethod, network: each });
    }
  }
  return [...kinds.values()];
}

/** Returns the rails that pay a currency, with the kinds of transfers that each one pays. */
export function railsTo(
  rails: Pick<RailDirectory, "railOf">,
  currency: string,
  now: Date,
): DestinationRail[] {
  return transferKindsOf(currency).flatMap((kind) => {
    const rail = rails.railOf(kind);
    if (rail === undefined) return [];
    // Any amount works here, because the settlement time does not depend on it.
    const transfer = { ...kind, amount: 1n };
    const cutOff = rail.cutOff?.(transfer);
    const expectedAt = rail.expectedAt?.(transfer, now);
    return create(DestinationRailSchema, {
      rail: rail.name,
      transferMethod: kind.transferMethod,
      network: kind.network,
      ...(cutOff && { cutOff: `${cutOff.time} ${cutOff.zone}` }),
      ...(expectedAt && { settlementSeconds: secondsUntil(expectedAt, now) }),
    });
  });
}

function secondsUntil(at: Date, now: Date): bigint {
  return BigInt(Math.ceil((at.getTime() - now.getTime()) / 1_000));
}
