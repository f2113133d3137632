import type { WebhookDeliveryRequest } from "@disburse/sdk/gen/types.ts";

/** Quotes a text for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a command that sends a webhook's request again. */
export function curlOf({ url, headers, body }: WebhookDeliveryRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoted(url)}`, ...lines, `--data-raw ${quoted(body)}`].join(" \\\n  ");
}
