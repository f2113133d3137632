import { Code, ConnectError } from "@connectrpc/connect";

/** After a reset, closed or refused connection the call's effect is unknown. */
export function unavailable(cause: unknown): ConnectError {
  return new ConnectError("the service does not answer", Code.Unavailable, undefined, [], cause);
}
