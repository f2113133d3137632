import { Problem, type Violation } from "../api/problem.ts";
import { t } from "../catalogue/texts.ts";
import { UntilSignedIn } from "../session/signed-in.tsx";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

const words = t.problems;

type Shown = { error: unknown; noAnswer?: string; onRetry?: () => void };

/** Shows a problem with the request id for support. */
export function ProblemNotice(props: Shown) {
  const { error } = props;
  if (!(error instanceof Problem && error.status === 401)) return <Shown {...props} />;
  return (
    <UntilSignedIn>
      <Notice tone="warn">{words.signedOut}</Notice>
    </UntilSignedIn>
  );
}

function Shown({ error, noAnswer, onRetry }: Shown) {
  const retry =
    onRetry === undefined ? null : (
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
  return (
    <Notice tone={error.status === 0 ? "warn" : "bad"}>
      <p>{sentence(error, noAnswer)}</p>
      {error.violations.length === 0 ? null : (
        <ul>
          {error.violations.map((violation) => (
            <li key={`${violation.field}:${violation.message}`}>
              {placeOf(violation)}
              <code>{violation.field}</code> {violation.message}
            </li>
          ))}
        </ul>
      )}
      {error.requestId === "" ? null : (
        <p className="small break">
          {error.code} · {words.requestId({ id: error.requestId })}
        </p>
      )}
      {retry}
    </Notice>
  );
}

const rowsMax = 10;

/** Names the rows of an uploaded file and the first line's reference. */
function placeOf({ row, rows, reference_id, line_count }: Violation): string {
  if (row === undefined) return "";
  const shown = (rows ?? [row]).slice(0, rowsMax);
  const more = (line_count ?? 1) - shown.length;
  const list = more > 0 ? words.more({ rows: shown.join(", "), more }) : shown.join(", ");
  const place = words.rows({ rows: list, count: line_count ?? 1 });
  const reference = reference_id === undefined ? "" : ` (${reference_id})`;
  return `${place}${reference}: `;
}

function sentence(
  { status, code, message }: Problem,
  noAnswer: string = words.noAnswerRead,
): string {
  if (status === 0) return noAnswer;
  if (code === "RATE_LIMITED") return words.rateLimited;
  return message === "" ? code : message;
}
