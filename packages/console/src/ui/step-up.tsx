import { needsApproval, needsSignIn, Problem } from "../api/problem.ts";
import { t } from "../catalogue/texts.ts";
import { openSignIn } from "../session/session.ts";
import { UntilSignedIn } from "../session/signed-in.tsx";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { ProblemNotice } from "./problem-notice.tsx";

/** Returns true if the person must sign in again, as an operator or a member. */
const asksForSignIn = ({ code, reason }: Problem) =>
  code === needsSignIn || reason === "sign_in_too_old";

/**
 * Shows why an action didn't succeed at once: it needs a new sign-in or another person, or it
 * failed.
 */
export function StepNotice({ error }: { error: unknown }) {
  if (error instanceof Problem && asksForSignIn(error)) {
    return (
      <UntilSignedIn>
        <Notice tone="warn">
          <p>{t.steps.signInAgain}</p>
          <p>
            <Button onClick={() => openSignIn(true)}>{t.steps.signIn}</Button>
          </p>
        </Notice>
      </UntilSignedIn>
    );
  }
  if (error instanceof Problem && error.code === needsApproval) {
    return (
      <Notice tone="good">
        <p>{t.steps.proposed}</p>
        <p className="mono break">{error.message}</p>
      </Notice>
    );
  }
  return <ProblemNotice error={error} noAnswer={t.problems.noAnswer} />;
}
