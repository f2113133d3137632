/** How the client is set up. */
export type ClientOptions = {
  /** The merchant's API key, `dsb_test_…` or `dsb_live_…`. It is sent to `baseUrl` alone. */
  readonly apiKey: string;
  /** Where the gateway is, without `/api/v1`: `https://…` or, in a sandbox, `http://…`. */
  readonly baseUrl: string;
  /** Bounds a call, retries and waits included; 60,000 ms when left out. */
  readonly timeoutMs?: number | undefined;
  /** Bounds one try of a call; 20,000 ms when left out, for the gateway itself gives up at 10. */
  readonly tryTimeoutMs?: number | undefined;
  /** How often a call is tried again at most; 3 when left out, 0 for never. */
  readonly retriesMax?: number | undefined;
  /** Another `fetch` than the platform's: for a proxy, a pool of connections, a test. */
  readonly fetch?: typeof fetch | undefined;
};

/** The options of a client, checked and complete. */
export type ClientSettings = {
  readonly [name in keyof Required<ClientOptions>]: NonNullable<ClientOptions[name]>;
};

const defaults = { timeoutMs: 60_000, tryTimeoutMs: 20_000, retriesMax: 3 } as const;

/** Timers hold no more than this; more is a mistake. */
const timeoutMaxMs = 2_147_483_647;

/** Completes the options; throws a `TypeError` that names, and never shows, what is wrong. */
export function clientSettings(options: ClientOptions): ClientSettings {
  const { apiKey, baseUrl, fetch: given } = options;
  if (typeof apiKey !== "string" || !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError("apiKey has to be an API key: dsb_test_… or dsb_live_…");
  }
  return {
    apiKey,
    baseUrl: checkedBaseUrl(baseUrl),
    timeoutMs: checkedTimeout("timeoutMs", options.timeoutMs ?? defaults.timeoutMs),
    tryTimeoutMs: checkedTimeout("tryTimeoutMs", options.tryTimeoutMs ?? defaults.tryTimeoutMs),
    retriesMax: checkedWhole("retriesMax", options.retriesMax ?? defaults.retriesMax, 0, 100),
    // Looked up at each call, so that a program may replace the global one.
    fetch: given ?? ((...call) => globalThis.fetch(...call)),
  };
}

/** A time limit in milliseconds. */
export function checkedTimeout(name: string, value: number): number {
  return checkedWhole(name, value, 1, timeoutMaxMs);
}

function checkedWhole(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`${name} has to be a whole number from ${min} to ${max}`);
}

function checkedBaseUrl(baseUrl: string): string {
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!isPlain) throw new TypeError("baseUrl has to be an http or https URL without user or query");
  return url.href.replace(/\/+$/, "");
}
