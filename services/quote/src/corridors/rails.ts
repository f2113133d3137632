import { create } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { isUnavailable } from "@disburse/chassis/rpc/refusal.ts";
import type {
  DestinationRail,
  PayoutService,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import {
  type CorridorRail,
  CorridorRailSchema,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";

/** Returns the rails by currency, without currencies whose rails are unknown. */
export type RailsTo = (
  currencies: readonly string[],
) => Promise<ReadonlyMap<string, readonly CorridorRail[]>>;

/**
 * Reads rails from the payout service. If it is unavailable, corridors are listed without rails.
 */
export function railsTo(payout: Client<typeof PayoutService>): RailsTo {
  return async (currencies) => {
    const currencyCodes = [...new Set(currencies)];
    if (currencyCodes.length === 0) return new Map();
    try {
      const { destinations } = await payout.describeDestinations({ currencyCodes });
      return new Map(
        destinations.map(({ currencyCode, rails }) => [currencyCode, rails.map(corridorRail)]),
      );
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return new Map();
    }
  };
}

function corridorRail(of: DestinationRail): CorridorRail {
  const { rail, transferMethod, network, cutOff, settlementSeconds } = of;
  const known = settlementSeconds !== undefined && { settlementSeconds };
  return create(CorridorRailSchema, { rail, transferMethod, network, cutOff, ...known });
}
