import { useStore } from "@tanstack/react-form";
import type { FormEvent, ReactNode } from "react";
import { t } from "../../catalogue/texts.ts";
import { Button } from "../../ui/button.tsx";
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
  const { groups, form: body, words, children } = props;
  const { form, posting, refused } = body;
  const missed = useStore(
    form.store,
    ({ fieldMeta }) => Object.values(fieldMeta).filter((each) => each?.errors.length).length,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void form.handleSubmit();
  };
  const fieldsOf = (fields: readonly FormField[]) => <FormFields {...{ fields, form, refused }} />;
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
        <Button type="submit" kind="primary" disabled={posting.isPending || posting.isSuccess}>
          {posting.isPending ? words.saving : words.save}
        </Button>
      </div>
    </form>
  );
}
