type Answer = {
  readonly status: number;
  /** A refusal's `code`. Empty on success. */
  readonly code: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  readonly data: any;
};

type Caller = { readonly baseUrl: string; readonly apiKey: string };

export async function callGateway(
  { baseUrl, apiKey }: Caller,
  method: "GET" | "POST",
  path: string,
  body?: object,
  key: string = crypto.randomUUID(),
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { "content-type": "application/json", "idempotency-key": key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { code = "", data } = (await response.json()) as { code?: string; data?: unknown };
  return { status: response.status, code, data };
}

/** Returns `data`. Throws the answer if it is not a success. */
export async function post(caller: Caller, path: string, body: object, key?: string) {
  const { status, code, data } = await callGateway(caller, "POST", path, body, key);
  if (status !== 200) throw new Error(`POST ${path} failed: status ${status}, code ${code}`);
  return data;
}

/** Creates a beneficiary with a US account, paid by ACH. */
export const achBeneficiary = {
  beneficiary_first_name: "Grace",
  beneficiary_last_name: "Hopper",
  beneficiary_account_type: "Individual",
  beneficiary_address: "1 Main Street",
  destination_currency: "USD",
  transfer_type: "ACH",
  destination_country: "US",
  routing_code_type_1: "ACH CODE",
  routing_code_value_1: "021000021",
  beneficiary_state: "NY",
  beneficiary_city: "New York",
  beneficiary_postcode: "10001",
  beneficiary_account_number: "123456789012",
};

export async function registerBeneficiary(caller: Caller): Promise<string> {
  const { beneficiary_id } = await post(caller, "/transfer/fiat/beneficiary", achBeneficiary);
  return beneficiary_id;
}

/** Requests a quote of 10.00 USD. Returns its id. */
export async function requestQuote(
  platform: Caller & { readonly accountId: string },
  beneficiaryId: string,
): Promise<string> {
  const { id } = await post(platform, "/transfer/rfq", {
    source_amount: "10.00",
    source_currency_code: "USD",
    destination_currency_code: "USD",
    beneficiary_id: beneficiaryId,
    account_id: platform.accountId,
  });
  return id;
}

export type Order = { readonly payoutId: string; readonly body: object; readonly key: string };

/** Executes a quote with one of the merchant's idempotency keys. */
export async function execute(caller: Caller, quoteId: string, reference: string): Promise<Order> {
  const key = `order-${quoteId}`;
  const body = { quote_id: quoteId, reference_id: reference };
  const { id } = await post(caller, "/transfer/execute", body, key);
  return { payoutId: id, body, key };
}
