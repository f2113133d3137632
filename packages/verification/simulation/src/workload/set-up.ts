import { ReturnCharges } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { Platform } from "../platform.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { Callers } from "./callers.ts";

export type FundedAccount = {
  readonly id: string;
  readonly merchantId: string;
  readonly beneficiaryIds: readonly string[];
};

export const merchantIds = ["mer_one", "mer_two"];
/** The currencies of the workload's beneficiaries. */
export const endings = { destination: "INR", same: "USD" } as const;

/** Event types that an endpoint must subscribe to by name. */
const optInTypes = ["payout.approval_required", "batch.approval_required", "batch.finished"];
/** The events of balances below a threshold, which not every run sets. */
export const lowBalance = "account.balance_low";
/** It is below every account's first balance. */
const threshold = "120.00";
/** Creation time of beneficiaries that existed long before a run. */
const longAgo = new Date(0);

type Mutation = { readonly operationId: string };

/** Creates the initial state of a run before faults begin. No call may be refused. */
export class SetUp {
  readonly #scheduler: Scheduler;
  readonly #platform: Pick<Platform, "rpc" | "beneficiaries">;
  readonly #callers: Callers;
  /** The corridors, with rates that they may have later. */
  readonly corridors: { readonly id: string; readonly laterRates: readonly string[] }[] = [];

  constructor(
    scheduler: Scheduler,
    platform: Pick<Platform, "rpc" | "beneficiaries">,
    callers: Callers,
  ) {
    this.#scheduler = scheduler;
    this.#platform = platform;
    this.#callers = callers;
  }

  async open(
    quoteTtlSeconds: number,
    merchants: readonly string[] = merchantIds,
    furtherTypes: readonly string[] = [],
  ): Promise<readonly FundedAccount[]> {
    const corridorIds = [
      await this.#corridor(endings.destination, "83.1234567891", quoteTtlSeconds),
      await this.#corridor(endings.same, "1", quoteTtlSeconds),
    ];
    const accounts: FundedAccount[] = [];
    const { quote, notifier } = this.#platform.rpc;
    for (const merchantId of merchants) {
      for (const corridorId of corridorIds) {
        await this.#surely((mutation) =>
          quote.setMerchantCorridor({ mutation, merchantId, corridorId, open: true }),
        );
      }
      const url = `http://hooks.example/${merchantId}`;
      const eventTypes = ["*", ...optInTypes, ...furtherTypes];
      await this.#surely((mutation) =>
        notifier.createEndpoint({ mutation, merchantId, url, eventTypes }),
      );
      accounts.push(await this.#account(merchantId));
    }
    return accounts;
  }

  /** Sets a low-balance threshold for each account. */
  async watch(accounts: readonly FundedAccount[]): Promise<void> {
    const { payout } = this.#platform.rpc;
    for (const { id: accountId, merchantId } of accounts) {
      await this.#surely((mutation) =>
        payout.updateAccount({ mutation, merchantId, accountId, lowBalanceThreshold: threshold }),
      );
    }
  }

  async #corridor(destination: string, rate: string, quoteTtlSeconds: number): Promise<string> {
    const { quote } = this.#platform.rpc;
    const corridor = {
      sourceCurrencyCode: "USD",
      destinationCurrencyCode: destination,
      active: true,
      feeShare: "0.0123",
      feeFlat: "0.30",
      quoteTtlSeconds,
      rateMaxAgeSeconds: 0,
      limits: { sourceMin: "1.00", sourceMax: "500.00" },
      returnCharges: this.#scheduler.random.pick([ReturnCharges.PLATFORM, ReturnCharges.MERCHANT]),
    };
    const set = await this.#surely((mutation) => quote.setCorridor({ mutation, corridor }));
    const corridorId = set.corridor?.id ?? "";
    await this.#surely((mutation) =>
      quote.setRate({ mutation, corridorId, rate: { rate, source: "simulation" } }),
    );
    const laterRates =
      destination === endings.same ? ["0.85", "0.93", "1.07"] : ["72", "79", "88.5"];
    this.corridors.push({ id: corridorId, laterRates });
    return corridorId;
  }

  async #account(merchantId: string): Promise<FundedAccount> {
    const { payout } = this.#platform.rpc;
    const { random } = this.#scheduler;
    const opened = await this.#surely((mutation) =>
      payout.openAccount({ mutation, merchantId, currencyCode: "USD" }),
    );
    const id = opened.account?.id ?? "";
    const amount = random.pick(["20.00", "150.00", "5000.00", "5000.00"]);
    await this.#surely((mutation) =>
      payout.creditAccount({ mutation, merchantId, accountId: id, amount }),
    );
    const beneficiaryIds = Object.values(endings).map((currency) => {
      const createdAt = random.pick([longAgo, longAgo, this.#scheduler.now()]);
      const id = `ben_${merchantId}_${currency}`;
      const beneficiary = {
        id,
        merchantId,
        currency,
        destination: `account of ${id}`,
        createdAt,
        stops: [],
      };
      this.#platform.beneficiaries.set(id, beneficiary);
      return id;
    });
    return { id, merchantId, beneficiaryIds };
  }

  async #surely<T>(call: (mutation: Mutation) => Promise<T>): Promise<T> {
    const mutation = { operationId: this.#callers.operation() };
    const created = await this.#callers.ask(() => call(mutation));
    if (typeof created === "string")
      throw new Error(`a call of the set-up was refused: ${created}`);
    return created;
  }
}
