import { beneficiaryLoss } from "./beneficiary.ts";
import { gatewayLoss } from "./gateway.ts";
import { notifierLoss } from "./notifier.ts";
import { payoutLoss } from "./payout.ts";
import { quoteLoss } from "./quote.ts";

/** Every loss that is practised, a database each. */
export const losses = [payoutLoss, quoteLoss, beneficiaryLoss, gatewayLoss, notifierLoss];
