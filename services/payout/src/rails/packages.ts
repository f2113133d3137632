import { bankRails } from "@disburse/bank-rail/bank-rails.ts";
import { bitcoinRails } from "@disburse/bitcoin-rail/bitcoin-rails.ts";
import type { Indexes } from "@disburse/chassis/mongo/migrations.ts";
import { evmRails } from "@disburse/evm-rail/evm-rails.ts";
import type { RailPackage } from "@disburse/rail/rail-package.ts";
import { solanaRails } from "@disburse/solana-rail/solana-rails.ts";

/** The packages whose rails make real payments. The sandbox's simulated rail is not among them. */
export const railPackages: readonly RailPackage[] = [
  evmRails,
  bitcoinRails,
  solanaRails,
  bankRails,
];

/** The indexes of the rail packages' collections in this service's database. */
export const railIndexes: Indexes = Object.assign({}, ...railPackages.map((each) => each.indexes));
