import type { Client } from "@connectrpc/connect";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";

/** The services that own what the public routes are about. */
export type Clients = {
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly quote: Client<typeof QuoteService>;
  readonly payout: Client<typeof PayoutService>;
  readonly notifier: Client<typeof NotifierService>;
};
