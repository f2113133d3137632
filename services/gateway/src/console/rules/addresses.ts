const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** What is wrong with the address by which browsers reach a port, or `undefined`. */
export function originProblem(url: string, mode: "sandbox" | "live"): string | undefined {
  const { protocol, origin, pathname, search } = new URL(url);
  if (origin !== url || pathname !== "/" || search !== "") {
    return "must be an origin such as https://console.example.com";
  }
  // A cookie that goes over plain http is anyone's on the way.
  return mode === "live" && protocol !== "https:"
    ? "must be an https:// address in live mode"
    : undefined;
}

/**
 * What is wrong with a provider's address, or `undefined`: over plain http on this machine alone.
 */
export function providerProblem(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || loopback.has(hostname)
    ? undefined
    : "must be an https:// address";
}
