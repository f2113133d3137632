import { enumValue } from "@disburse/chassis/enum-names.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { MemberRole } from "@disburse/contracts/disburse/gateway/v1/team_pb.ts";
import { ReturnCharges } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { SandboxClients } from "./clients.ts";
import { emailOf, sandboxMembers } from "./people.ts";
import {
  type MerchantName,
  merchantNames,
  sandboxAccounts,
  sandboxCorridors,
  sandboxLimits,
} from "./sandbox-data.ts";
import { sandboxList, sandboxListLines } from "./sandbox-list.ts";

/** The sandbox's merchants. The caller stores them, because they are created only once. */
export type SandboxMerchants = Readonly<Record<MerchantName, SandboxMerchant>>;

type SandboxMerchant = {
  readonly merchant_id: string;
  readonly api_key: string;
  /** A second root key of a merchant that pays. It approves payouts that `api_key` creates. */
  readonly approver_api_key?: string;
};

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
/** Merchants with a second key that approves payouts. */
const paying: ReadonlySet<MerchantName> = new Set(["acme", "globex"]);

/** An approver decides on payouts, and on looser approval rules. */
const approverScopes = ["payout:read", "payout:approve", "payout:control"];

/**
 * Creates the sandbox's data. Each step is idempotent. `known` contains the merchants of an earlier
 * start.
 */
export async function seedSandbox(
  clients: SandboxClients,
  known: SandboxMerchants | undefined,
): Promise<SeededSandbox> {
  const merchants = known ?? (await createMerchants(clients));
  const [accounts] = await Promise.all([
    registerMerchants(clients, merchants).then(() => openAccounts(clients, merchants)),
    addMembers(clients, merchants),
    importSandboxList(clients),
    openCorridors(clients, merchants),
  ]);
  return { merchants, accounts };
}

async function importSandboxList({ compliance }: SandboxClients): Promise<void> {
  const { lists } = await compliance.listLists({});
  const inForce = lists.find(({ list }) => list === sandboxList.list);
  if (inForce?.version === sandboxList.version) return;
  const { list, version } = sandboxList;
  const mutation = { operationId: `sandbox:list:${version}` };
  const lines = new TextEncoder().encode(sandboxListLines());
  async function* parts() {
    yield { part: { case: "header" as const, value: { mutation, list, version } } };
    yield { part: { case: "lines" as const, value: lines } };
    yield { part: { case: "end" as const, value: true } };
  }
  await compliance.importList(parts());
}

async function createMerchants({ keys }: SandboxClients): Promise<SandboxMerchants> {
  const run = crypto.randomUUID();
  const created = merchantNames.map(async (name) => {
    const merchantId = newId("merchant");
    const keyOf = async (what: string, scopes: string[]): Promise<string> => {
      const mutation = { operationId: `sandbox:${what.replace(" ", "-")}:${name}:${run}` };
      const description = `sandbox ${what} of ${name}`;
      return (await keys.createKey({ mutation, merchantId, scopes, description })).secret;
    };
    const merchant: SandboxMerchant = {
      merchant_id: merchantId,
      api_key: await keyOf("key", []),
      ...(paying.has(name) && {
        approver_api_key: await keyOf("approver key", approverScopes),
      }),
    };
    return [name, merchant] as const;
  });
  return Object.fromEntries(await Promise.all(created)) as SandboxMerchants;
}

/** Registers missing merchants and sets their permissions. */
async function registerMerchants(
  { beneficiary }: SandboxClients,
  merchants: SandboxMerchants,
): Promise<void> {
  const register = async (name: MerchantName) => {
    const merchantId = merchants[name].merchant_id;
    const isRegistered = await beneficiary.getMerchant({ merchantId }).then(
      () => true,
      (error: unknown) => {
        if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return false;
        throw error;
      },
    );
    if (!isRegistered) {
      const mutation = { operationId: `sandbox:merchant:${merchantId}` };
      await beneficiary.createMerchant({ mutation, merchantId, name });
    }
    // `frozen` may not create anything. `bare` has no settings.
    if (name === "bare") return;
    const allowed = name !== "frozen";
    await beneficiary.setMerchantPermissions({
      mutation: { operationId: `sandbox:settings:${merchantId}` },
      permissions: { merchantId, mayCreateBeneficiaries: allowed, mayCreateDepositors: allowed },
    });
  };
  await Promise.all(merchantNames.map(register));
}

/** Adds the merchants' teams. A member who was removed is not added again. */
async function addMembers({ team }: SandboxClients, merchants: SandboxMerchants): Promise<void> {
  const added = sandboxMembers.map((member) => {
    const { id, name, merchant, role } = member;
    const merchantId = merchants[merchant].merchant_id;
    const mutation = { operationId: `sandbox:member:${merchantId}:${id}` };
    const email = emailOf(member);
    return team.addMember({
      mutation,
      merchantId,
      email,
      name,
      role: enumValue(MemberRole, role),
    });
  });
  await Promise.all(added);
}

type SandboxCorridor = (typeof sandboxCorridors)[number];

async function openCorridors(
  { quote }: SandboxClients,
  merchants: SandboxMerchants,
): Promise<void> {
  const open = async (each: SandboxCorridor) => {
    const key = `sandbox:${each.source}:${each.destination}`;
    const limits = sandboxLimits[each.source];
    const { corridor } = await quote.setCorridor({
      mutation: { operationId: `${key}:corridor` },
      corridor: {
        sourceCurrencyCode: each.source,
        destinationCurrencyCode: each.destination,
        active: each.active,
        feeShare: each.feeShare,
        feeFlat: each.feeFlat,
        limits: limits === undefined ? {} : { sourceMin: limits.min, sourceMax: limits.max },
        quoteTtlSeconds: 0,
        rateMaxAgeSeconds: 0,
        returnCharges: ReturnCharges.PLATFORM,
      },
    });
    const corridorId = corridor?.id ?? "";
    const mutation = { operationId: `${key}:rate` };
    await quote.setRate({ mutation, corridorId, rate: { rate: each.rate, source: seeder } });
    const opened = each.openTo.map((name) => {
      const merchantId = merchants[name].merchant_id;
      const mutation = { operationId: `${key}:${merchantId}` };
      return quote.setMerchantCorridor({ mutation, merchantId, corridorId, open: true });
    });
    await Promise.all(opened);
  };
  await Promise.all(sandboxCorridors.map(open));
}

/** Opens the accounts one after another. Lists then show them in this order. */
async function openAccounts(
  { payout }: SandboxClients,
  merchants: SandboxMerchants,
): Promise<SeededAccount[]> {
  const opened: SeededAccount[] = [];
  for (const [at, { merchant, currency, funds }] of sandboxAccounts.entries()) {
    const merchantId = merchants[merchant].merchant_id;
    const key = `sandbox:account:${merchantId}:${at}`;
    const mutation = { operationId: key };
    const created = await payout.openAccount({ mutation, merchantId, currencyCode: currency });
    const accountId = created.account?.id ?? "";
    if (funds !== "") {
      await payout.creditAccount({
        mutation: { operationId: `${key}:funds` },
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
