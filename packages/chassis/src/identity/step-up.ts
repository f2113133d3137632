import { Code, ConnectError } from "@connectrpc/connect";
import type { Principal } from "../principal.ts";

/** The requirements of an RPC with `step_up` for a person's sign-in. */
export type StepUp = {
  readonly maxAgeSeconds: number;
  /** The required authentication class. If absent, any class is accepted. */
  readonly acr?: string | undefined;
};

/** The default maximum age of a sign-in, equal to the lifetime of an access token in live mode. */
export const stepUpSecondsDefault = 900;

/** The allowed difference between two clocks of different machines. */
export const clockToleranceSeconds = 120;

/**
 * Throws UNAUTHENTICATED if a person's sign-in is unknown, too old, or of a different class. The
 * error contains `insufficient_user_authentication` and the required sign-in (RFC 9470). Does not
 * apply to services.
 */
export function demandStepUp(
  principal: Principal,
  { maxAgeSeconds, acr }: StepUp,
  nowMs = Date.now(),
): void {
  if (principal.kind === "service" || principal.signIn === "exempt") return;
  const { signIn } = principal;
  const ageSeconds = signIn === undefined ? undefined : nowMs / 1_000 - signIn.atSeconds;
  const isFresh =
    ageSeconds !== undefined && ageSeconds <= maxAgeSeconds && ageSeconds >= -clockToleranceSeconds;
  const isOfClass = acr === undefined || signIn?.acr === acr;
  if (isFresh && isOfClass) return;
  const problem = isFresh
    ? `the sign-in does not have the authentication class ${acr}`
    : `the sign-in must be at most ${maxAgeSeconds} s old`;
  throw new ConnectError(
    `insufficient_user_authentication: ${problem}; sign in again`,
    Code.Unauthenticated,
    { "www-authenticate": challenge(maxAgeSeconds, acr) },
  );
}

function challenge(maxAgeSeconds: number, acr: string | undefined): string {
  const parts = [
    'error="insufficient_user_authentication"',
    `max_age=${maxAgeSeconds}`,
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
  ];
  return `Bearer ${parts.join(", ")}`;
}
