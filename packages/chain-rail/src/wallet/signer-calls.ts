/** Calls a remote signer by HTTP. Returns the text of its response. Its errors show no response. */
export async function callSigner(
  url: string,
  {
    body,
    token,
    timeoutMs = 5_000,
  }: {
    /** Sent as JSON. Without it the call reads. */
    readonly body?: object;
    readonly token?: string;
    /** A signer that takes longer counts as unreachable, and the transfer is signed later. */
    readonly timeoutMs?: number;
  } = {},
): Promise<string> {
  const response = await fetch(url, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`the signer returned HTTP status ${response.status}`);
  return (await response.text()).trim();
}
