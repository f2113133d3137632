import {
  BeneficiaryKind,
  DepositorStatus,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  CircuitState,
  DeliveryOrder,
  DeliveryState,
  EndpointState,
  ReplayState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  LedgerStep,
  PayoutCause,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";

/** The contract's closed sets in the words of the public interface. */

export const payoutStatuses: Readonly<Record<PayoutStatus, string>> = {
  [PayoutStatus.UNSPECIFIED]: "",
  [PayoutStatus.INITIATED]: "initiated",
  [PayoutStatus.SUCCEEDED]: "succeeded",
  [PayoutStatus.FAILED]: "failed",
};

export const payoutSubStatuses: Readonly<Record<PayoutSubStatus, string>> = {
  [PayoutSubStatus.UNSPECIFIED]: "",
  [PayoutSubStatus.QUEUED]: "queued",
  [PayoutSubStatus.PROCESSING]: "processing",
  [PayoutSubStatus.UNKNOWN]: "unknown",
  [PayoutSubStatus.SETTLED]: "settled",
  [PayoutSubStatus.REJECTED]: "rejected",
  [PayoutSubStatus.RETURNED]: "returned",
};

export const ledgerSteps: Readonly<Record<LedgerStep, string>> = {
  [LedgerStep.UNSPECIFIED]: "",
  [LedgerStep.CREDIT]: "credit",
  [LedgerStep.HOLD]: "hold",
  [LedgerStep.POST]: "post",
  [LedgerStep.RELEASE]: "release",
  [LedgerStep.RETURN]: "return",
  [LedgerStep.REVERSAL]: "reversal",
};

export const payoutCauses: Readonly<Record<PayoutCause, string>> = {
  [PayoutCause.UNSPECIFIED]: "",
  [PayoutCause.EXECUTED]: "executed",
  [PayoutCause.SUBMITTED]: "submitted",
  [PayoutCause.ACCEPTED]: "accepted",
  [PayoutCause.OUTCOME_UNKNOWN]: "outcome_unknown",
  [PayoutCause.SETTLED]: "settled",
  [PayoutCause.REJECTED]: "rejected",
  [PayoutCause.RETURNED]: "returned",
  [PayoutCause.RESOLVED]: "resolved",
};

export const beneficiaryKinds: Readonly<Record<BeneficiaryKind, string>> = {
  [BeneficiaryKind.UNSPECIFIED]: "",
  [BeneficiaryKind.CRYPTO]: "crypto",
  [BeneficiaryKind.FIAT]: "fiat",
};

export const screeningStatuses: Readonly<Record<ScreeningStatus, string>> = {
  [ScreeningStatus.UNSPECIFIED]: "",
  [ScreeningStatus.PENDING]: "pending",
  [ScreeningStatus.CLEARED]: "cleared",
  [ScreeningStatus.REVIEW]: "review",
  [ScreeningStatus.BLOCKED]: "blocked",
};

export const depositorStatuses: Readonly<Record<DepositorStatus, string>> = {
  [DepositorStatus.UNSPECIFIED]: "",
  [DepositorStatus.PENDING]: "pending",
  [DepositorStatus.WHITELISTED]: "whitelisted",
  [DepositorStatus.REVIEW]: "review",
  [DepositorStatus.REJECTED]: "rejected",
};

export const endpointStates: Readonly<Record<EndpointState, string>> = {
  [EndpointState.UNSPECIFIED]: "",
  [EndpointState.ACTIVE]: "active",
  [EndpointState.PAUSED]: "paused",
  [EndpointState.UNVERIFIED]: "unverified",
};

export const deliveryOrders: Readonly<Record<DeliveryOrder, string>> = {
  [DeliveryOrder.UNSPECIFIED]: "",
  [DeliveryOrder.NONE]: "none",
  [DeliveryOrder.BOUNDED]: "bounded",
  [DeliveryOrder.STRICT]: "strict",
};

export const circuitStates: Readonly<Record<CircuitState, string>> = {
  [CircuitState.UNSPECIFIED]: "",
  [CircuitState.CLOSED]: "closed",
  [CircuitState.OPEN]: "open",
};

export const deliveryStates: Readonly<Record<DeliveryState, string>> = {
  [DeliveryState.UNSPECIFIED]: "",
  [DeliveryState.PENDING]: "pending",
  [DeliveryState.DELIVERED]: "delivered",
  [DeliveryState.EXHAUSTED]: "exhausted",
  [DeliveryState.CANCELLED]: "cancelled",
};

export const replayStates: Readonly<Record<ReplayState, string>> = {
  [ReplayState.UNSPECIFIED]: "",
  [ReplayState.RUNNING]: "running",
  [ReplayState.DONE]: "done",
  [ReplayState.CANCELLED]: "cancelled",
};

/** A table read backwards: what each word stands for, for a list's filter. */
export function meanings<Value extends number>(
  table: Readonly<Record<Value, string>>,
): Readonly<Record<string, Value>> {
  const named = Object.entries<string>(table).filter(([, word]) => word !== "");
  return Object.fromEntries(named.map(([value, word]) => [word, Number(value) as Value]));
}

/** The words of a table; its empty one stands for a bug and is not told. */
export function wordsOf(table: Readonly<Record<number, string>>): readonly string[] {
  return Object.values(table).filter((each) => each !== "");
}
