import { beneficiaryBody, type Target } from "./scenarios.ts";

/** `data` of an answer in which only ids are looked at. */
type Ids = Readonly<Record<string, string>>;

/** Makes one request outside any measurement; throws what an error answer says. */
export async function callGateway(
  { baseUrl, apiKey }: Pick<Target, "baseUrl" | "apiKey">,
  path: string,
  body?: string,
): Promise<Ids> {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: body ?? null,
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${answer}`);
  return (JSON.parse(answer) as { data: Ids }).data;
}

/** Registers a beneficiary; answers its id. */
export async function createBeneficiary(caller: Pick<Target, "baseUrl" | "apiKey">) {
  const path = "/transfer/crypto/beneficiary";
  return (await callGateway(caller, path, beneficiaryBody())).beneficiary_id ?? "";
}
