const fields: Readonly<Record<string, string>> = {
  id: '"ps_1"',
  reference_id: '"order-7"',
  merchant_id: '"mer_1"',
  status: '"initiated"',
  failure_code: '""',
  amount: "1.10",
  source_currency: '"USDC_ETH"',
  source_account: '"0x52908400098527886E0F7030069857D2E4169EE7"',
  payment_option_id: '"opt_1"',
  payment_option_code: '"USDC_ETH"',
  success_redirect_url: '"https://merchant.example/paid"',
  failure_redirect_url: '"https://merchant.example/failed"',
  risk_score: '"lowRisk"',
  created_at: '"2026-11-20T11:26:00.123Z"',
  updated_at: '"2026-11-20T11:26:00.123Z"',
  expires_at: '"2026-11-20T12:26:00.123Z"',
};

/**
 * Builds the `data` of a payment session as the session's system writes it. `change` replaces some
 * fields.
 */
export function sessionData(change: Readonly<Record<string, string | undefined>> = {}): string {
  const written = Object.entries({ ...fields, ...change }).filter(([, json]) => json !== undefined);
  return `{ ${written.map(([field, json]) => `"${field}": ${json}`).join(", ")} }`;
}
