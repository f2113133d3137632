import { countSetting, SettingsError, secret } from "@disburse/chassis/settings.ts";
import { z } from "zod";

/** The wallet risk provider, and the limits of its queries. */
export type WalletProviderSetting = {
  readonly url: string;
  readonly apiKey: string;
  /** The time limit of a query with all its retries. */
  readonly timeoutMs: number;
  /** The cache time of responses with and without identifications. */
  readonly identifiedSeconds: number;
  readonly clearSeconds: number;
};

/** TLS protects the API key and the payees' wallets on the network. */
const safeUrl = /^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$))/;

/** Without a provider, wallets are compared with the lists alone. */
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
  /** Two seconds are well within the ten seconds of a merchant's whole request. */
  WALLET_PROVIDER_TIMEOUT_MS: countSetting(1).default(2_000),
  /**
   * Responses with identifications are cached for ten minutes, because no entry leaves a sanctions
   * list within minutes.
   */
  WALLET_PROVIDER_IDENTIFIED_SECONDS: countSetting().default(600),
  /** Clear responses are cached only for a minute, because a wallet may be listed at any time. */
  WALLET_PROVIDER_CLEAR_SECONDS: countSetting().default(60),
} as const;

type Settings = z.output<z.ZodObject<typeof walletProviderSettings>>;

/** Returns the configured provider, if any. A URL without a key is an error. */
export function walletProviderOf(settings: Settings): WalletProviderSetting | undefined {
  const { WALLET_PROVIDER_URL: url, WALLET_PROVIDER_API_KEY: apiKey } = settings;
  if (url === undefined && apiKey === undefined) return undefined;
  if (url === undefined || apiKey === undefined) {
    const missing = url === undefined ? "URL" : "API_KEY";
    throw new SettingsError(
      `settings: WALLET_PROVIDER_${missing}: must be set too, because the other of WALLET_PROVIDER_URL and WALLET_PROVIDER_API_KEY is set`,
    );
  }
  return {
    url,
    apiKey,
    timeoutMs: settings.WALLET_PROVIDER_TIMEOUT_MS,
    identifiedSeconds: settings.WALLET_PROVIDER_IDENTIFIED_SECONDS,
    clearSeconds: settings.WALLET_PROVIDER_CLEAR_SECONDS,
  };
}
