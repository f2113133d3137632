import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { Code, ConnectError } from "@connectrpc/connect";
import { publicRefusals, refusalError } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";

/** A period in which a beneficiary was not cleared, in milliseconds of true time. */
type Stop = {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly status: ScreeningStatus;
};

/**
 * A merchant's beneficiary. A beneficiary that is stopped permanently was cleared before the stop.
 */
export type SimulatedBeneficiary = {
  readonly id: string;
  readonly merchantId: string;
  readonly currency: string;
  /** The beneficiary's account. Beneficiaries with the same account have the same value. */
  readonly destination: string;
  readonly createdAt: Date;
  readonly stops: Stop[];
};

/** Minimum duration of a temporary stop. It stands for a false match that is later cleared. */
const stopMinMs = 5_000;
const stopMoreMs = 25_000;

/** Stops a beneficiary from now on, temporarily or permanently. */
export function stopBeneficiary(
  scheduler: Scheduler,
  { stops }: SimulatedBeneficiary,
  untilMs: number,
): void {
  const status = scheduler.random.pick([ScreeningStatus.REVIEW, ScreeningStatus.BLOCKED]);
  stops.push({ fromMs: scheduler.nowMs(), untilMs, status });
}

/** Returns true if the beneficiary was stopped during the entire interval. */
export function wasStopped(
  { stops }: SimulatedBeneficiary,
  fromMs: number,
  untilMs: number,
): boolean {
  return stops.some((stop) => stop.fromMs <= fromMs && untilMs < stop.untilMs);
}

export type StubOptions = {
  /** Defect: reports every beneficiary as cleared when it is about to be paid. */
  readonly pretendsCleared?: boolean;
  /** Defect: reports every beneficiary as having an account of its own. */
  readonly hidesDestinations?: boolean;
};

/**
 * A stub of the beneficiary service. It has outages, and screenings that change after a payout was
 * created.
 */
export function beneficiaryStub(
  scheduler: Scheduler,
  beneficiaries: ReadonlyMap<string, SimulatedBeneficiary>,
  { pretendsCleared = false, hidesDestinations = false }: StubOptions,
): Partial<ServiceImpl<typeof BeneficiaryService>> {
  const { faults, random } = scheduler;
  const found = (merchantId: string, id: string): SimulatedBeneficiary => {
    if (faults.happens("beneficiary service away", 0.03)) {
      throw new ConnectError("away", Code.Unavailable);
    }
    const beneficiary = beneficiaries.get(id);
    if (beneficiary?.merchantId === merchantId) return beneficiary;
    throw refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
  };
  const statusOf = ({ stops }: SimulatedBeneficiary): ScreeningStatus => {
    const nowMs = scheduler.nowMs();
    const stop = stops.find(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs);
    return stop?.status ?? ScreeningStatus.CLEARED;
  };
  /** Returns the current screening status, which may change immediately afterwards. */
  const readStatus = (beneficiary: SimulatedBeneficiary): ScreeningStatus => {
    const status = statusOf(beneficiary);
    if (faults.happens("screening changed", 0.08)) {
      const untilMs = scheduler.nowMs() + stopMinMs + random.below(stopMoreMs);
      stopBeneficiary(scheduler, beneficiary, untilMs);
    }
    return status;
  };
  return {
    // Every merchant is registered before a run.
    getMerchant: async ({ merchantId: id }) => ({ merchant: { id, name: "A merchant" } }),
    getBeneficiary: async ({ merchantId, beneficiaryId }) => {
      const beneficiary = found(merchantId, beneficiaryId);
      const { id, currency, createdAt } = beneficiary;
      const screeningStatus = readStatus(beneficiary);
      return {
        beneficiary: {
          id,
          merchantId,
          name: "Ada Lovelace",
          accountNumberMasked: "********1234",
          destinationCurrency: currency,
          transferMethod: "LOCAL",
          screeningStatus,
          createdAt: timestampFromDate(createdAt),
        },
        destinationKeys: [hidesDestinations ? id : beneficiary.destination],
      };
    },
    getBeneficiaryStatus: async ({ merchantId, beneficiaryId }) => {
      const beneficiary = found(merchantId, beneficiaryId);
      return {
        screeningStatus: readStatus(beneficiary),
        destinationCurrency: beneficiary.currency,
        createdAt: timestampFromDate(beneficiary.createdAt),
      };
    },
    listBeneficiaryCurrencies: async ({ merchantId, beneficiaryIds }) => ({
      currencies: beneficiaryIds.flatMap((beneficiaryId) => {
        const { merchantId: owner, currency = "" } = beneficiaries.get(beneficiaryId) ?? {};
        return owner === merchantId ? [{ beneficiaryId, destinationCurrency: currency }] : [];
      }),
    }),
    getPaymentInstruction: async ({ merchantId, beneficiaryId }) => {
      const beneficiary = found(merchantId, beneficiaryId);
      return {
        accountNumber: "123456781234",
        transferMethod: "LOCAL",
        beneficiaryName: "Ada Lovelace",
        destinationCountry: "IN",
        screeningStatus: pretendsCleared ? ScreeningStatus.CLEARED : statusOf(beneficiary),
      };
    },
  };
}
