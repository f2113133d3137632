import { type FormEvent, useState } from "react";
import { Problem } from "../../api/problem.ts";
import { send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { useDraft } from "../../session/draft.ts";
import { useAttempt } from "../../ui/use-attempt.ts";
import { bankOf, bodyOf, type FormValues, formProblems } from "./rules/form-body.ts";
import type { FormField } from "./rules/form-field.ts";

const bankCountryPath = "beneficiary_bank_country_code";

type Target<T> = {
  readonly path: string;
  /** Tells the form's draft from those of the path's other forms. */
  readonly kind: string;
  readonly onDone: (answer: T) => Promise<void>;
};

/** Posts a form's body. */
export function useBodyForm<T>(fields: readonly FormField[], { path, kind, onDone }: Target<T>) {
  const [values, setValues, forget] = useDraft<FormValues>(`${path}:${kind}`, {});
  const [missed, setMissed] = useState<Readonly<Record<string, string>>>({});
  const posting = useAttempt({
    send: ([to, body]: readonly [string, object], idempotencyKey) =>
      send<T>("POST", to, { body, idempotencyKey }),
    onSuccess: (answer) => {
      forget();
      return onDone(answer);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const problems = formProblems(fields, values, t.forms.problems);
    setMissed(problems);
    const first = Object.keys(problems)[0];
    if (first === undefined) posting.mutate([path, bodyOf(fields, values)]);
    else
      (event.currentTarget as HTMLFormElement | null)
        ?.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)
        ?.focus();
  };
  const change = (next: FormValues) => {
    const country = bankOf(next);
    const isNew = country !== "" && country !== bankOf(values);
    const fills = isNew && fields.some(({ path: each }) => each === bankCountryPath);
    setValues(fills ? { ...next, [bankCountryPath]: country } : next);
    posting.reset();
    setMissed({});
  };
  return { values, change, submit, posting, problems: { ...refusedOf(posting.error), ...missed } };
}

function refusedOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Problem)) return {};
  return Object.fromEntries(error.violations.map(({ field, message }) => [field, message]));
}
