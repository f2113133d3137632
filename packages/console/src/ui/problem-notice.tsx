import type { ReactNode } from "react";
import { needsApproval, needsSignIn, Problem, type Violation } from "../api/problem.ts";
import { t } from "../catalogue/texts.ts";
import { openSignIn } from "../session/session.ts";
import { UntilSignedIn } from "../session/signed-in.tsx";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

const words = t.problems;

type Shown = { error: unknown; noAnswer?: string; onRetry?: () => void };

/** Shows why a person's change didn't happen at once: it failed, or needs something more. */
export const StepNotice = ({ error }: { error: unknown }) => (
  <ProblemNotice error={error} noAnswer={words.noAnswer} />
);

/** Shows a problem with the request id for support. */
export function ProblemNotice({ error, noAnswer = words.noAnswerRead, onRetry }: Shown) {
  const retry = onRetry && (
    <p>
      <Button onClick={onRetry}>{t.actions.retry}</Button>
    </p>
  );
  if (!(error instanceof Problem)) {
    return (
      <Notice tone="bad">
        <p>{words.unexpected}</p>
        <p className="mono break">{error instanceof Error ? error.message : String(error)}</p>
        {retry}
      </Notice>
    );
  }
  const { status, code, reason, message, violations, requestId } = error;
  // Members and operators get different codes for a sign-in that is too old.
  if (code === needsSignIn || reason === "sign_in_too_old") {
    return (
      <SignInNotice text={t.steps.signInAgain}>
        <Button onClick={() => openSignIn(true)}>{t.steps.signIn}</Button>
      </SignInNotice>
    );
  }
  if (status === 401) return <SignInNotice text={words.signedOut}>{retry}</SignInNotice>;
  if (code === needsApproval) {
    return (
      <Notice tone="good">
        <p>{t.steps.proposed}</p>
        <p className="mono break">{message}</p>
      </Notice>
    );
  }
  const limited = code === "RATE_LIMITED" && words.rateLimited;
  return (
    <Notice tone={status === 0 ? "warn" : "bad"}>
      <p>{status === 0 ? noAnswer : limited || message || code}</p>
      {violations.length === 0 ? null : (
        <ul>
          {violations.map((violation) => (
            <li key={`${violation.field}:${violation.message}`}>
              {placeOf(violation)}
              <code>{violation.field}</code> {violation.message}
            </li>
          ))}
        </ul>
      )}
      {requestId === "" ? null : (
        <p className="small break">
          {code} · {words.requestId({ id: requestId })}
        </p>
      )}
      {retry}
    </Notice>
  );
}

const SignInNotice = ({ text, children }: { text: string; children?: ReactNode }) => (
  <UntilSignedIn>
    <Notice tone="warn">
      <p>{text}</p>
      {children}
    </Notice>
  </UntilSignedIn>
);

const rowsMax = 10;

/** Names the rows of an uploaded file and the first line's reference. */
function placeOf({ row, rows, reference_id, line_count: count = 1 }: Violation): string {
  if (row === undefined) return "";
  const shown = (rows ?? [row]).slice(0, rowsMax);
  const more = count - shown.length;
  const list = more > 0 ? words.more({ rows: shown.join(", "), more }) : shown.join(", ");
  const reference = reference_id === undefined ? "" : ` (${reference_id})`;
  return `${words.rows({ rows: list, count })}${reference}: `;
}
