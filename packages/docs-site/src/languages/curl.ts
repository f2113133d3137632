import { addressOf, type SampleRequest } from "../request.ts";

/** A sample as a command of curl, after lines that set the variables it is given. */
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

/** For single quotes of a shell; a variable stands outside of them. */
function quoted(text: string): string {
  return text
    .replaceAll("'", "'\\''")
    .replaceAll(/\$([A-Z]+)/g, "'$$$1'")
    .replaceAll("\n", "\n  ");
}
