import { setTimeout as pause } from "node:timers/promises";

/** Whom to call, and as whom. */
export type Gateway = { readonly baseUrl: string; readonly apiKey: string };

/** A final answer: neither "later" nor "in progress". */
export type FinalAnswer = {
  readonly status: number;
  readonly text: string;
  /** `code` of a refusal. */
  readonly code: string;
  readonly data: Readonly<Record<string, string>>;
  /** How many requests it took. */
  readonly tries: number;
};

/** The gateway itself gives up after 10 s. */
const callTimeoutMs = 12_000;
const againAfterMs = 100;
/** No answer by then is a fault that does not heal. */
const giveUpMs = 180_000;

/**
 * Posts under one idempotency key, again and again until the answer is
 * final. `undefined` after three minutes without one.
 */
export async function postUntilAnswered(
  { baseUrl, apiKey }: Gateway,
  path: string,
  body: object,
  key: string = crypto.randomUUID(),
): Promise<FinalAnswer | undefined> {
  const giveUpAt = Date.now() + giveUpMs;
  for (let tries = 1; Date.now() < giveUpAt; tries += 1) {
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
      const { status } = response;
      const { code = "", data = {} } = JSON.parse(text);
      const isFinal = status < 500 && status !== 429 && code !== "IDEMPOTENCY_IN_PROGRESS";
      if (isFinal) return { status, text, code, data, tries };
    } catch {
      // Not connected, cut off, or too late: a client cannot know what was done, and tries again.
    }
    await pause(againAfterMs);
  }
  return undefined;
}
