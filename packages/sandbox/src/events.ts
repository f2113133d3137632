import type { DescMessage } from "@bufbuild/protobuf";
import { ScreeningChangedSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import {
  MerchantEventSchema,
  OptInEventSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";

export const events: readonly DescMessage[] = [
  ScreeningChangedSchema,
  PayoutStatusChangedSchema,
  MerchantEventSchema,
  OptInEventSchema,
];
