import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { Problem } from "../../api/problem.ts";
import { attemptKey, send } from "../../api/request.ts";
import { t } from "../../catalogue/en.ts";
import { bodyOf, type FormValues, formProblems } from "./rules/form-body.ts";
import type { FormField } from "./rules/form-field.ts";

type Target<T> = { readonly path: string; readonly onDone: (answer: T) => Promise<void> };

/**
 * Posts a form's body. Posting an unchanged body again is the same attempt and uses the same
 * idempotency key. A changed body is a new attempt.
 */
export function useBodyForm<T>(fields: readonly FormField[], { path, onDone }: Target<T>) {
  const [values, setValues] = useState<FormValues>({});
  const [missed, setMissed] = useState<Readonly<Record<string, string>>>({});
  const attempt = useRef({ text: "", key: "" });
  const posting = useMutation({
    mutationFn: (body: object) => {
      const text = JSON.stringify([path, body]);
      if (attempt.current.text !== text) attempt.current = { text, key: attemptKey() };
      return send<T>("POST", path, { body, idempotencyKey: attempt.current.key });
    },
    onSuccess: onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const problems = formProblems(fields, values, t.forms.problems);
    setMissed(problems);
    const first = Object.keys(problems)[0];
    if (first === undefined) posting.mutate(bodyOf(fields, values));
    else
      (event.currentTarget as HTMLFormElement | null)
        ?.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)
        ?.focus();
  };
  const change = (next: FormValues) => {
    setValues(next);
    posting.reset();
    setMissed({});
  };
  return { values, change, submit, posting, problems: { ...refusedOf(posting.error), ...missed } };
}

function refusedOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Problem)) return {};
  return Object.fromEntries(error.violations.map(({ field, message }) => [field, message]));
}
