import { revalidateLogic, useForm } from "@tanstack/react-form";
import { useEffect, useState } from "react";
import { Problem } from "../../api/problem.ts";
import { post } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { useDraft } from "../../session/draft.ts";
import { toast } from "../../ui/toasts.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";
import { bankCountry } from "../rules/country.ts";
import { bodyOf, type FormValues, formProblems, isBic } from "./rules/form-body.ts";
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
  const [draft, keep, forget] = useDraft<FormValues>(`${path}:${kind}`, {});
  const [defaultValues] = useState(draft);
  const posting = useAttempt({
    send: async ([to, body]: readonly [string, object], idempotencyKey) => {
      const answer = await post<T>(to, body, idempotencyKey);
      forget();
      toast(t.forms.saved);
      await onDone(answer);
    },
  });
  const form = useForm({
    defaultValues,
    // A refusal can end by a change of another field, so the server decides again.
    canSubmitWhenInvalid: true,
    validationLogic: revalidateLogic(),
    validators: {
      onDynamic: ({ value }) => {
        const problems = formProblems(fields, value, t.forms.problems);
        return Object.keys(problems).length === 0 ? undefined : { fields: problems };
      },
    },
    listeners: {
      onChange: ({ formApi, fieldApi: { name, state } }) => {
        posting.reset();
        const country = isBic(name) ? bankCountry(String(state.value)) : "";
        if (country !== "" && fields.some((each) => each.path === bankCountryPath)) {
          formApi.setFieldValue(bankCountryPath, country);
        }
        keep(formApi.state.values);
      },
    },
    onSubmitInvalid: ({ formApi }) => {
      const first = fields.find((each) => formApi.getFieldMeta(each.path)?.errors.length);
      if (first !== undefined) document.getElementsByName(first.path)[0]?.focus();
    },
    onSubmit: ({ value }) => posting.mutate([path, bodyOf(fields, value)]),
  });
  useEffect(() => {
    // Forgets the problems of fields that are gone. They would stop the next submission.
    if (fields.length > 0 && form.state.submissionAttempts > 0) void form.validate("change");
  }, [form, fields]);
  return { form, posting, refused: refusedOf(posting.error) };
}

/** The field of a problem, without the number of a word. */
const placeOf = (field: string) => field.replace(/\[\d+\]$/, "");

function refusedOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Problem)) return {};
  return Object.fromEntries(
    error.violations.map(({ field, message }) => [placeOf(field), message]),
  );
}
