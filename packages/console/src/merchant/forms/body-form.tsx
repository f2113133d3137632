import type { ReactNode } from "react";
import { t } from "../../catalogue/texts.ts";
import { Notice } from "../../ui/notice.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { FormFields } from "./form-fields.tsx";
import type { FormField } from "./rules/form-field.ts";
import type { useBodyForm } from "./use-body-form.ts";

export type FieldGroup = { readonly title: string; readonly fields: readonly FormField[] };

export function BodyForm(props: {
  groups: readonly FieldGroup[];
  form: ReturnType<typeof useBodyForm>;
  words: { readonly save: string; readonly saving: string; readonly notKnown: string };
  children?: ReactNode;
}) {
  const { groups, form, words, children } = props;
  const { values, change, submit, posting, problems } = form;
  const missed = Object.keys(problems).length;
  const fieldsOf = (fields: readonly FormField[]) => (
    <FormFields {...{ fields, values, problems, onChange: change, optional: t.forms.optional }} />
  );
  return (
    <form className="form card" onSubmit={submit} noValidate>
      {groups.map(({ title, fields }) =>
        title === "" ? (
          <div key={title}>{fieldsOf(fields)}</div>
        ) : (
          <fieldset key={title}>
            <legend>{title}</legend>
            {fieldsOf(fields)}
          </fieldset>
        ),
      )}
      {children}
      {posting.isError ? (
        <ProblemNotice error={posting.error} noAnswer={words.notKnown} />
      ) : missed > 0 ? (
        <Notice tone="bad">{t.forms.missed({ count: missed })}</Notice>
      ) : null}
      <div>
        <button
          type="submit"
          className="button"
          data-kind="primary"
          disabled={posting.isPending || posting.isSuccess}
        >
          {posting.isPending ? words.saving : words.save}
        </button>
      </div>
    </form>
  );
}
