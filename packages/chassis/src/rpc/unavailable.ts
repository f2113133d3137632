import { Code, ConnectError } from "@connectrpc/connect";

/** Creates the error for a reset, closed or refused connection. The call's effect is unknown. */
export function unavailable(cause: unknown): ConnectError {
  return new ConnectError("the service does not respond", Code.Unavailable, undefined, [], cause);
}
