import { countSetting, SettingsError, secret } from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The wallet risk provider, and how to query it. */
export type WalletProviderSetting = {
  readonly url: string;
  readonly apiKey: string;
  /** In all, repeats included. */
  readonly timeoutMs: number;
  /** How long answers with and without identifications are kept. */
  readonly identifiedSeconds: number;
  readonly clearSeconds: number;
};

/** The key and the wallets of payees must not be read on the way. */
const safeUrl = /^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$))/;

/** None configured: wallets are compared with the lists alone. */
export const walletProviderSettings = {
  WALLET_PROVIDER_URL: z
    .url({ protocol: /^https?$/ })
    .regex(safeUrl, "must be https, except on this machine")
    .regex(/^[^@?#]*$/, "must have no credentials, query or fragment")
    .optional(),
  WALLET_PROVIDER_API_KEY: secret(
    z
      .string()
      .regex(/^[\x21-\x7e]{1,256}$/, "must be printable, without spaces")
      .optional(),
  ),
  /** Well within the ten seconds that a merchant's request has in all. */
  WALLET_PROVIDER_TIMEOUT_MS: countSetting(1).default(2_000),
  /** No entry leaves a sanctions list within minutes. */
  WALLET_PROVIDER_IDENTIFIED_SECONDS: countSetting().default(600),
  /** A wallet may be listed at any time. */
  WALLET_PROVIDER_CLEAR_SECONDS: countSetting().default(60),
} as const;

type Settings = z.output<z.ZodObject<typeof walletProviderSettings>>;

/** The provider of a deployment, if it has one; an address without a key is a mistake. */
export function walletProviderOf(settings: Settings): WalletProviderSetting | undefined {
  const { WALLET_PROVIDER_URL: url, WALLET_PROVIDER_API_KEY: apiKey } = settings;
  if (url === undefined && apiKey === undefined) return undefined;
  if (url === undefined || apiKey === undefined) {
    const missing = url === undefined ? "URL" : "API_KEY";
    throw new SettingsError(`settings: WALLET_PROVIDER_${missing}: is required with the other one`);
  }
  return {
    url,
    apiKey,
    timeoutMs: settings.WALLET_PROVIDER_TIMEOUT_MS,
    identifiedSeconds: settings.WALLET_PROVIDER_IDENTIFIED_SECONDS,
    clearSeconds: settings.WALLET_PROVIDER_CLEAR_SECONDS,
  };
}
