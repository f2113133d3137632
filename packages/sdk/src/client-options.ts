/** Options of the `Disburse` client. */
export type ClientOptions = {
  /** The merchant's API key, `dsb_test_…` or `dsb_live_…`. It is sent only to `baseUrl`. */
  readonly apiKey: string;
  /** URL of the gateway without `/api/v1`: `https://…` or, in a sandbox, `http://…`. */
  readonly baseUrl: string;
  /** Time limit of a call in milliseconds, including retries and waits; 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * Time limit of one attempt in milliseconds; 20,000 by default. The gateway's own time limit is
   * 10,000.
   */
  readonly tryTimeoutMs?: number | undefined;
  /** Maximum number of retries per call, 0 to 100; 3 by default, 0 turns retries off. */
  readonly retriesMax?: number | undefined;
  /** Replaces the global `fetch`, for example for a proxy, a connection pool or a test. */
  readonly fetch?: typeof fetch | undefined;
};

/** Validated client options with defaults applied. */
export type ClientSettings = {
  readonly [name in keyof Required<ClientOptions>]: NonNullable<ClientOptions[name]>;
};

const names = Object.keys({
  apiKey: true,
  baseUrl: true,
  timeoutMs: true,
  tryTimeoutMs: true,
  retriesMax: true,
  fetch: true,
} satisfies Record<keyof ClientOptions, true>);

/** Throws a `TypeError` for an option that does not exist, so that no misspelt one is ignored. */
export function checkNames(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`no option is named ${unknown}; the options are ${known.join(", ")}`);
}

const defaults = { timeoutMs: 60_000, tryTimeoutMs: 20_000, retriesMax: 3 } as const;

/** The longest delay that a timer supports, about 24.8 days. */
const timeoutMaxMs = 2_147_483_647;

/**
 * Validates the options. Throws a `TypeError` that names the invalid option and never shows its
 * value.
 */
export function clientSettings(options: ClientOptions): ClientSettings {
  checkNames(options, names);
  const { apiKey, baseUrl, fetch: given } = options;
  if (typeof apiKey !== "string" || !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError("apiKey must be an API key: dsb_test_… or dsb_live_…");
  }
  return {
    apiKey,
    baseUrl: checkedBaseUrl(baseUrl),
    timeoutMs: checkedTimeout("timeoutMs", options.timeoutMs ?? defaults.timeoutMs),
    tryTimeoutMs: checkedTimeout("tryTimeoutMs", options.tryTimeoutMs ?? defaults.tryTimeoutMs),
    retriesMax: checkedWhole("retriesMax", options.retriesMax ?? defaults.retriesMax, 0, 100),
    // Reads the global `fetch` at each call, so that a program can replace it later.
    fetch: given ?? ((...call) => globalThis.fetch(...call)),
  };
}

export function checkedTimeout(name: string, value: number): number {
  return checkedWhole(name, value, 1, timeoutMaxMs);
}

function checkedWhole(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}`);
}

function checkedBaseUrl(baseUrl: string): string {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!isPlain)
    throw new TypeError(
      "baseUrl must be an http or https URL without credentials, query or fragment",
    );
  return url.href.replace(/\/+$/, "");
}
