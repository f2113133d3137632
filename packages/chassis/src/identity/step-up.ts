import { Code, ConnectError } from "@connectrpc/connect";
import type { Principal } from "../principal.ts";

/** What an RPC with `step_up` asks of a person's sign-in. */
export type StepUp = {
  /** How long ago it may be, in seconds. */
  readonly maxAgeSeconds: number;
  /** The class of authentication that it must have had; any where this is left out. */
  readonly acr?: string | undefined;
};

/** As long as an access token is good in live mode. */
export const stepUpSecondsDefault = 900;

/** Two clocks may differ by so much (`docs/THREAT-MODEL.md`). */
export const clockToleranceSeconds = 120;

/**
 * Throws UNAUTHENTICATED, with `insufficient_user_authentication` and what the sign-in has to be
 * (RFC 9470), where a person's sign-in is too old, of another class, or not known. Services pass.
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
    ? `the sign-in was not of the class ${acr}`
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
