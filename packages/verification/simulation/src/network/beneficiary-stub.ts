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

/** A time in which a beneficiary was not cleared, in milliseconds of true time. */
type Stop = {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly status: ScreeningStatus;
};

/** A beneficiary of a merchant; one that stays stopped was cleared before. */
export type SimulatedBeneficiary = {
  readonly id: string;
  readonly merchantId: string;
  readonly currency: string;
  /** The account that is paid; records of one account have the same. */
  readonly destination: string;
  readonly createdAt: Date;
  readonly stops: Stop[];
};

/** A wrong match is cleared within this time. */
const stopMinMs = 5_000;
const stopMoreMs = 25_000;

/** Stops a beneficiary from now on: for a while, or until the end. */
export function stopBeneficiary(
  scheduler: Scheduler,
  { stops }: SimulatedBeneficiary,
  untilMs: number,
): void {
  const status = scheduler.random.pick([ScreeningStatus.REVIEW, ScreeningStatus.BLOCKED]);
  stops.push({ fromMs: scheduler.nowMs(), untilMs, status });
}

/** Whether there was no moment between two at which a beneficiary was cleared. */
export function wasStopped(
  { stops }: SimulatedBeneficiary,
  fromMs: number,
  untilMs: number,
): boolean {
  return stops.some((stop) => stop.fromMs <= fromMs && untilMs < stop.untilMs);
}

/** What a test falsifies of the answers to the payout service. */
export type StubOptions = {
  /** Every beneficiary is reported as cleared when it is to be paid. */
  readonly pretendsCleared?: boolean;
  /** Every record is reported as an account of its own. */
  readonly hidesDestinations?: boolean;
};

/**
 * Stub of the beneficiary service, with outages, and with screenings
 * that change once a payout was let through.
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
  /** Its screening, as a call reads it; it may change right after. */
  const readStatus = (beneficiary: SimulatedBeneficiary): ScreeningStatus => {
    const status = statusOf(beneficiary);
    if (faults.happens("screening changed", 0.08)) {
      const untilMs = scheduler.nowMs() + stopMinMs + random.below(stopMoreMs);
      stopBeneficiary(scheduler, beneficiary, untilMs);
    }
    return status;
  };
  return {
    // Merchants are registered before a run begins.
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
