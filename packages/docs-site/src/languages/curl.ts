import { addressOf, type SampleRequest } from "../request.ts";

/** Formats a sample as variable assignments and a curl command. */
export function curlSample(request: SampleRequest, assignments: readonly string[] = []): string {
  const { method, body, idempotencyKey, file } = request;
  const needsMethod = method !== (body === undefined ? "GET" : "POST");
  const lines = [
    `curl -s${needsMethod ? ` -X ${method}` : ""} "${addressOf(request)}"`,
    '-H "Authorization: Bearer $DISBURSE_API_KEY"',
    ...(idempotencyKey === undefined ? [] : [`-H "Idempotency-Key: ${idempotencyKey}"`]),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${quoted(JSON.stringify(body, null, 2))}'`]),
    ...(file === undefined ? [] : [`-o ${file}`]),
  ];
  return [...assignments, lines.join(" \\\n  ")].join("\n");
}

/** Escapes text for single quotes in a shell, with variables outside the quotes. */
function quoted(text: string): string {
  return text
    .replaceAll("'", "'\\''")
    .replaceAll(/\$([A-Z]+)/g, "'$$$1'")
    .replaceAll("\n", "\n  ");
}
