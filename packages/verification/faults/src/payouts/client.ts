import { setTimeout as pause } from "node:timers/promises";

/** The called gateway and the caller's key. */
export type Gateway = { readonly baseUrl: string; readonly apiKey: string };

/** Excludes responses that mean "try later" and "in progress". */
export type FinalAnswer = {
  readonly status: number;
  readonly text: string;
  readonly code: string;
  readonly data: Readonly<Record<string, string>>;
  readonly tries: number;
};

/** Timeout of a call. Longer than the gateway's own timeout of 10 s. */
const callTimeoutMs = 12_000;
const againAfterMs = 100;
/** If no final response arrives within this time, the platform has not recovered. */
const giveUpMs = 180_000;

/**
 * Sends a POST once. Returns `undefined` if the outcome is unknown: the connection failed or timed
 * out.
 */
export async function postOnce(
  { baseUrl, apiKey }: Gateway,
  path: string,
  body: object,
  key: string,
): Promise<Omit<FinalAnswer, "tries"> | undefined> {
  try {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    const text = await response.text();
    const { code = "", data = {} } = JSON.parse(text);
    return { status: response.status, text, code, data };
  } catch {
    return undefined;
  }
}

/**
 * Repeats a POST with one idempotency key until the answer is final. Returns `undefined` after
 * three minutes.
 */
export async function postUntilAnswered(
  gateway: Gateway,
  path: string,
  body: object,
  key: string = crypto.randomUUID(),
  onTry: (answer: Omit<FinalAnswer, "tries"> | undefined) => void = () => undefined,
): Promise<FinalAnswer | undefined> {
  const giveUpAt = Date.now() + giveUpMs;
  for (let tries = 1; Date.now() < giveUpAt; tries += 1) {
    const answer = await postOnce(gateway, path, body, key);
    onTry(answer);
    if (answer !== undefined) {
      const { status, code } = answer;
      const isFinal = status < 500 && status !== 429 && code !== "IDEMPOTENCY_IN_PROGRESS";
      if (isFinal) return { ...answer, tries };
    }
    await pause(againAfterMs);
  }
  return undefined;
}
