import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { ComplianceService } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import type { KeyService } from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import type { PayoutService } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  type MerchantName,
  merchantNames,
  sandboxAccounts,
  sandboxCorridors,
  sandboxLimits,
} from "./sandbox-data.ts";
import { sandboxList, sandboxListLines } from "./sandbox-list.ts";

/** The services that the sandbox is made in. */
export type SandboxClients = {
  readonly compliance: Client<typeof ComplianceService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly quote: Client<typeof QuoteService>;
  readonly payout: Client<typeof PayoutService>;
  readonly keys: Client<typeof KeyService>;
};

/** Who the sandbox's merchants are: made once, kept by whoever starts the sandbox. */
export type SandboxMerchants = Readonly<
  Record<MerchantName, { readonly merchant_id: string; readonly api_key: string }>
>;

export type SeededAccount = {
  readonly merchant: MerchantName;
  readonly account_id: string;
  readonly currency: string;
  readonly available: string;
};

export type SeededSandbox = {
  readonly merchants: SandboxMerchants;
  readonly accounts: readonly SeededAccount[];
};

const seeder = "sandbox";

/**
 * Makes the sandbox. Every step is keyed by what it makes, so that doing it again changes nothing:
 * a crash in the middle is mended by the next start. `known` are the merchants of an earlier start.
 */
export async function seedSandbox(
  clients: SandboxClients,
  known: SandboxMerchants | undefined,
): Promise<SeededSandbox> {
  await importSandboxList(clients);
  const merchants = known ?? (await makeMerchants(clients));
  await allowMerchants(clients, merchants);
  await openCorridors(clients, merchants);
  return { merchants, accounts: await openAccounts(clients, merchants) };
}

async function importSandboxList({ compliance }: SandboxClients): Promise<void> {
  const { lists } = await compliance.listLists({});
  const inForce = lists.find(({ list }) => list === sandboxList.list);
  if (inForce?.version === sandboxList.version) return;
  const { list, version } = sandboxList;
  const mutation = serviceMutation(seeder, `sandbox:list:${version}`);
  const lines = new TextEncoder().encode(sandboxListLines());
  async function* parts() {
    yield { part: { case: "header" as const, value: { mutation, list, version } } };
    yield { part: { case: "lines" as const, value: lines } };
  }
  await compliance.importList(parts());
}

async function makeMerchants({ keys }: SandboxClients): Promise<SandboxMerchants> {
  const run = crypto.randomUUID();
  const made = merchantNames.map(async (name) => {
    const merchantId = newId("merchant");
    const mutation = serviceMutation(seeder, `sandbox:key:${name}:${run}`);
    const description = `sandbox key of ${name}`;
    const { secret } = await keys.createKey({ mutation, merchantId, description });
    return [name, { merchant_id: merchantId, api_key: secret }] as const;
  });
  return Object.fromEntries(await Promise.all(made)) as SandboxMerchants;
}

/** `frozen` may create nothing; `bare` has no settings at all. */
async function allowMerchants(
  { beneficiary }: SandboxClients,
  merchants: SandboxMerchants,
): Promise<void> {
  for (const name of ["acme", "globex", "frozen"] as const) {
    const merchantId = merchants[name].merchant_id;
    const allowed = name !== "frozen";
    await beneficiary.setMerchantSettings({
      mutation: serviceMutation(seeder, `sandbox:settings:${merchantId}`),
      settings: { merchantId, mayCreateBeneficiaries: allowed, mayCreateDepositors: allowed },
    });
  }
}

async function openCorridors(
  { quote }: SandboxClients,
  merchants: SandboxMerchants,
): Promise<void> {
  for (const each of sandboxCorridors) {
    const key = `sandbox:${each.source}:${each.destination}`;
    const limits = sandboxLimits[each.source];
    const { corridor } = await quote.setCorridor({
      mutation: serviceMutation(seeder, `${key}:corridor`),
      corridor: {
        sourceCurrencyCode: each.source,
        destinationCurrencyCode: each.destination,
        active: each.active,
        feeShare: each.feeShare,
        feeFlat: each.feeFlat,
        ...(limits === undefined
          ? {}
          : { limits: { sourceMin: limits.min, sourceMax: limits.max } }),
      },
    });
    const corridorId = corridor?.id ?? "";
    const mutation = serviceMutation(seeder, `${key}:rate`);
    await quote.setRate({ mutation, corridorId, rate: { rate: each.rate, source: seeder } });
    for (const name of each.openTo) {
      const merchantId = merchants[name].merchant_id;
      await quote.setMerchantCorridor({
        mutation: serviceMutation(seeder, `${key}:${merchantId}`),
        merchantId,
        corridorId,
        open: true,
      });
    }
  }
}

async function openAccounts(
  { payout }: SandboxClients,
  merchants: SandboxMerchants,
): Promise<SeededAccount[]> {
  const opened: SeededAccount[] = [];
  for (const [at, { merchant, currency, funds }] of sandboxAccounts.entries()) {
    const merchantId = merchants[merchant].merchant_id;
    const key = `sandbox:account:${merchantId}:${at}`;
    const mutation = serviceMutation(seeder, key);
    const made = await payout.openAccount({ mutation, merchantId, currencyCode: currency });
    const accountId = made.account?.id ?? "";
    if (funds !== "") {
      await payout.creditAccount({
        mutation: serviceMutation(seeder, `${key}:funds`),
        merchantId,
        accountId,
        amount: funds,
        note: "sandbox funds",
      });
    }
    const { account } = await payout.getAccount({ merchantId, accountId });
    const available = account?.available ?? "";
    opened.push({ merchant, account_id: accountId, currency, available });
  }
  return opened;
}

/** How often a service that is not up yet is asked again. */
const askEveryMs = 50;

/** Waits until a service answers; throws what it said last when it does not within `timeoutMs`. */
export async function retryUntilAvailable(
  ask: () => Promise<unknown>,
  timeoutMs: number,
): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      const isAway = error instanceof ConnectError && error.code === Code.Unavailable;
      if (!isAway || Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    }
  }
}
