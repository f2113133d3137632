import { Problem } from "../api/problem.ts";
import { t } from "../catalogue/en.ts";
import { Notice } from "./notice.tsx";

const words = t.problems;

/** Shows a problem with the request id for support. */
export function ProblemNotice({ error, noAnswer }: { error: unknown; noAnswer?: string }) {
  if (!(error instanceof Problem)) {
    return (
      <Notice tone="bad">
        <p>{words.unexpected}</p>
        <p className="mono break">{error instanceof Error ? error.message : String(error)}</p>
      </Notice>
    );
  }
  return (
    <Notice tone={error.status === 0 ? "warn" : "bad"}>
      <p>{sentence(error, noAnswer)}</p>
      {error.violations.length === 0 ? null : (
        <ul>
          {error.violations.map(({ field, message }) => (
            <li key={`${field}:${message}`}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {error.requestId === "" ? null : (
        <p className="small break">
          {error.code} · {words.requestId(error.requestId)}
        </p>
      )}
    </Notice>
  );
}

function sentence(
  { status, code, message }: Problem,
  noAnswer: string = words.noAnswerRead,
): string {
  if (status === 0) return noAnswer;
  if (status === 401) return words.signedOut;
  if (code === "RATE_LIMITED") return words.rateLimited;
  return message === "" ? code : message;
}
