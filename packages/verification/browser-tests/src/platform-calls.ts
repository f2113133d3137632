import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import type { Visitor } from "./visitor.ts";

type Data = Readonly<Record<string, string>>;

type Party = {
  readonly name: string;
  readonly country?: string | undefined;
  readonly date_of_birth?: string | undefined;
};

/** Sends a request as acme's program. Returns its `data`. */
async function send({ base_url: url, merchants }: SandboxDocument, path: string, body: object) {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${merchants.acme.api_key}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
}

/** Adds a beneficiary with a wallet to acme. Returns its id. */
export async function addBeneficiary(sandbox: SandboxDocument, party: Party): Promise<string> {
  const added = await send(sandbox, "transfer/crypto/beneficiary", {
    beneficiary_name: party.name,
    routing_code_type_1: "NETWORK",
    routing_code_value_1: "ETHEREUM",
    beneficiary_account_number: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    beneficiary_account_type: "Individual",
    beneficiary_wallet_custody_provider: "OTHERS",
    beneficiary_wallet_custody_provider_name: "MetaMask",
    beneficiary_address: "1 Main Street",
    beneficiary_city: "Berlin",
    beneficiary_state: "BE",
    beneficiary_postcode: "10115",
    beneficiary_country_code: party.country ?? "DE",
    beneficiary_document_id: "X1234567",
    beneficiary_document_type: "PASSPORT",
    beneficiary_date_of_birth: party.date_of_birth ?? "1984-05-17",
    destination_currency: "USDC_ETH",
  });
  return added["beneficiary_id"] ?? "";
}

/** Creates a beneficiary link of acme. Returns its address. */
export async function createLink(sandbox: SandboxDocument): Promise<string> {
  const asked = { destination_currency: "USD", transfer_type: "ACH" };
  return (await send(sandbox, "beneficiary-links", asked))["url"] ?? "";
}

/** Puts a beneficiary on acme's own list of the sandbox, so that an officer must decide. */
export async function listBeneficiary(sandbox: SandboxDocument, id: string): Promise<void> {
  await send(sandbox, `sandbox/beneficiaries/${id}/listing`, { result: "review" });
}

/** Turns off the merchant's own payout controls. Operators would need two persons for that. */
export async function clearControls(sandbox: SandboxDocument): Promise<void> {
  await send(sandbox, "sandbox/payout-controls", {});
}

/** A payout in USD to a beneficiary with a wallet. */
type PayoutTerms = {
  readonly beneficiaryId: string;
  readonly amount: string;
  /** The side of the amount; the source by default. */
  readonly fixed?: "source" | "receiving";
  readonly reference: string;
};

/** Pays acme's beneficiary from the USD account. Returns the payout's id. */
export function payBeneficiary(sandbox: SandboxDocument, terms: PayoutTerms): Promise<string> {
  return execute(sandbox, terms, { isFunded: true });
}

/** Pays from acme's empty account. The payout waits for balance. Returns its id. */
export function payWithoutBalance(
  sandbox: SandboxDocument,
  terms: PayoutTerms,
  maxSourceAmount: string,
): Promise<string> {
  const waiting = { queue_if_low_balance: true, max_source_amount: maxSourceAmount };
  return execute(sandbox, terms, { isFunded: false }, waiting);
}

async function execute(
  sandbox: SandboxDocument,
  { beneficiaryId, amount, reference, fixed = "source" }: PayoutTerms,
  account: AccountChoice,
  options: object = {},
): Promise<string> {
  const quote = await send(sandbox, "transfer/rfq", {
    ...partiesOf(sandbox, beneficiaryId, account),
    [`${fixed}_amount`]: amount,
  });
  const body = { quote_id: quote["id"], reference_id: reference, ...options };
  return (await send(sandbox, "transfer/execute", body))["id"] ?? "";
}

/** An amount that the account pays, or one that the beneficiary receives at a later quote. */
type BatchAmount = { readonly source_amount: string } | { readonly receiving_amount: string };

/** Uploads a batch of payouts to a beneficiary. It waits for approval. */
export async function uploadBatch(
  sandbox: SandboxDocument,
  beneficiaryId: string,
  lines: readonly BatchAmount[],
): Promise<void> {
  const parties = partiesOf(sandbox, beneficiaryId, { isFunded: true });
  const body = { lines: lines.map((amount) => ({ ...parties, ...amount })) };
  await send(sandbox, "transfer/batches", body);
}

/** Schedules a payout of tomorrow whose maximum is held from the start. Returns its id. */
export async function scheduleReserved(
  sandbox: SandboxDocument,
  { beneficiaryId, amount, reference }: PayoutTerms,
): Promise<string> {
  const scheduled = await send(sandbox, "transfer/scheduled-payouts", {
    ...partiesOf(sandbox, beneficiaryId, { isFunded: true }),
    source_amount: amount,
    max_source_amount: amount,
    reserve: true,
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    reference_id: reference,
  });
  return scheduled["id"] ?? "";
}

type AccountChoice = { readonly isFunded: boolean };

function partiesOf(
  { accounts }: SandboxDocument,
  beneficiaryId: string,
  { isFunded }: AccountChoice,
) {
  const own = accounts.filter(
    ({ merchant, currency }) => merchant === "acme" && currency === "USD",
  );
  return {
    account_id: own[isFunded ? 0 : 1]?.account_id,
    beneficiary_id: beneficiaryId,
    source_currency_code: "USD",
    destination_currency_code: "USDC_ETH",
  };
}

/** Requests a nonexistent payout. Returns the request's id. */
export async function refusedRequest(sandbox: SandboxDocument): Promise<string> {
  const { base_url: url, merchants } = sandbox;
  const response = await fetch(`${url}/api/v1/transfer/payouts/po_none`, {
    headers: { authorization: `Bearer ${merchants.acme.api_key}` },
  });
  return response.headers.get("x-request-id") ?? "";
}

/** Calls an RPC through the operator API proxy with the person's session. Returns the status. */
export async function callRpc({ page }: Visitor, rpc: string, request: object): Promise<number> {
  const { origin } = new URL(page.url());
  const session = await page.request.get(`${origin}/console/session`);
  const { data } = (await session.json()) as { data: { csrf_token: string } };
  const mutation = { operationId: crypto.randomUUID() };
  const headers = { "content-type": "application/json", "x-csrf-token": data.csrf_token };
  const body = JSON.stringify({ mutation, ...request });
  const answer = await page.request.post(`${origin}/console/rpc/${rpc}`, { headers, data: body });
  return answer.status();
}
